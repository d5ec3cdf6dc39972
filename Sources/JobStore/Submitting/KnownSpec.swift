package import JobKit

/// What a spec says, read by whoever submitted it. A class, so that handing it on copies one reference.
package final class KnownSpec: Sendable {
    /// What it says.
    package let spec: JobSpec

    /// What a spec says.
    package init(_ spec: JobSpec) { self.spec = spec }
}
