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

    package func close() { _ = Glibc.close(descriptor) }

    /// The size of a regular file; nil for anything else.
    package var fileByteCount: Int? {
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }

    /// Reads a file from `offset`. Returns the number of bytes read, 0 at the end; nil when it cannot be read.
    package func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) -> Int? {
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
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
