internal import EventIO
internal import HTTPMessage

/// A file that is read while it is sent.
final class FileSource: HTTPContentSource {
    let byteCount: Int
    private let path: String
    private let input: DescriptorInput

    /// Opens a file; nil when it cannot be read, or is no file.
    init?(_ path: String) {
        guard let input = DescriptorInput.open(path) else { return nil }
        guard let count = input.fileByteCount else {
            input.close()
            return nil
        }
        (self.path, self.input, byteCount) = (path, input, count)
    }

    deinit { input.close() }

    /// The size of a file; nil when it cannot be read, or is no file.
    static func byteCount(of path: String) -> Int? { FileSource(path)?.byteCount }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        if let count = input.read(at: offset, into: &bytes), count > 0 { return count }
        throw HTTPCallFailure(
            code: ResultSink.code, detail: "\(path) cannot be read to its end. Was it changed?", phase: .send,
            delivery: .sentUnknown)
    }
}
