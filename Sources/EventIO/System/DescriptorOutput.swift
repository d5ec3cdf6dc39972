import Glibc

/// An open descriptor for writing, such as standard error.
package struct DescriptorOutput: Sendable {
    /// The descriptor, which stays open.
    package let descriptor: CInt

    package init(descriptor: CInt) { self.descriptor = descriptor }

    package static let standardOutput = DescriptorOutput(descriptor: 1)
    package static let standardError = DescriptorOutput(descriptor: 2)

    /// Writes all of `bytes`, waiting without limit. Returns false when the peer has stopped reading; part of the bytes
    /// may have been written.
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
