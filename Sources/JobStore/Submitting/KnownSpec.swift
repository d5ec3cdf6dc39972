package import JobSpec

/// A spec parsed at its submission. A class, so that passing it on copies one reference.
package final class KnownSpec: Sendable {
    package let spec: JobSpec

    package init(_ spec: JobSpec) { self.spec = spec }
}
