import Glibc

/// An open descriptor for reading, such as standard input.
package struct DescriptorInput: Sendable {
    /// The descriptor, which stays open.
    package let descriptor: CInt

    package init(descriptor: CInt) { self.descriptor = descriptor }

    package static let standardInput = DescriptorInput(descriptor: 0)

    /// Opens a file for reading; nil when that is impossible.
    package static func open(_ path: String) -> DescriptorInput? {
        let found = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        return found < 0 ? nil : DescriptorInput(descriptor: found)
    }

    /// The next bytes, at most `most`, after waiting for them without limit; empty at the end. Nil when it cannot be
    /// read.
    package func read(atMost most: Int) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: most)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            piece.removeLast(most - count)
            return piece
        }
    }

    /// Reads to the end, waiting without limit; stops at `bytesMax + 1` bytes when there are more than `bytesMax`. Nil
    /// when it cannot be read.
    package func readAll(bytesMax: Int) -> [UInt8]? {
        var content: [UInt8] = []
        while content.count <= bytesMax {
            guard let piece = read(atMost: 64 << 10) else { return nil }
            if piece.isEmpty { return content }
            content += piece
        }
        return Array(content.prefix(bytesMax + 1))
    }
}
