import Glibc

/// An open descriptor that gives bytes, such as standard input.
package struct DescriptorInput: Sendable {
    /// The descriptor; it stays open.
    package let descriptor: CInt

    /// The input of an open descriptor.
    package init(descriptor: CInt) { self.descriptor = descriptor }

    /// Standard input.
    package static let standardInput = DescriptorInput(descriptor: 0)

    /// All bytes until the end, waiting for them as long as it takes; `bytesMax + 1` of them when there are more
    /// than `bytesMax`. Nil when it cannot be read.
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
