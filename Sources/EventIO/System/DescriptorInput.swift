import Glibc

/// An open descriptor for reading, such as standard input.
package struct DescriptorInput: Sendable {
    /// The descriptor, which stays open.
    package let descriptor: CInt

    package init(descriptor: CInt) { self.descriptor = descriptor }

    package static let standardInput = DescriptorInput(descriptor: 0)

    /// Reads to the end, waiting without limit; stops at `bytesMax + 1` bytes when there are more than `bytesMax`. Nil
    /// when it cannot be read.
    package func readAll(bytesMax: Int) -> [UInt8]? {
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while content.count <= bytesMax {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return content }
            content += piece.prefix(count)
        }
        return Array(content.prefix(bytesMax + 1))
    }
}
