import Glibc

/// An open descriptor that takes bytes, such as standard error.
package struct DescriptorOutput: Sendable {
    /// The descriptor; it stays open.
    package let descriptor: CInt

    /// The output of an open descriptor.
    package init(descriptor: CInt) { self.descriptor = descriptor }

    /// Standard output.
    package static let standardOutput = DescriptorOutput(descriptor: 1)
    /// Standard error.
    package static let standardError = DescriptorOutput(descriptor: 2)

    /// Writes all of `bytes`, and waits for that as long as it takes. False when the peer does not take them
    /// any more; what was written until then stays written.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count > 0 {
                written += count
            } else if count < 0, errno == EINTR {
                continue
            } else if count < 0, errno == EAGAIN {
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&waiting, 1, 1_000)
            } else {
                return false
            }
        }
        return true
    }
}
