package import JobSpec

/// A spec as read at its submission. A class, so that handing it on copies one reference.
package final class KnownSpec: Sendable {
    /// The spec.
    package let spec: JobSpec

    /// A spec that was read.
    package init(_ spec: JobSpec) { self.spec = spec }
}
