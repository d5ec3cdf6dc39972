internal import Glibc
public import HTTPMessage
public import JobKit

/// The content of a file as that of a request, read piece by piece while it is sent.
///
/// ```swift
/// var call = HTTPCall(method: "PUT", url: "https://…/report.pdf")
/// call.source = try FileContent("report.pdf")
/// ```
///
/// The file stays open, and must not change, until the last call with it is over.
public final class FileContent: HTTPContentSource {
    /// The length of the file when it was opened, in bytes.
    public let byteCount: Int
    private let path: String
    private let descriptor: CInt

    /// Opens the file at `path`.
    /// - Throws: `storage.missing` when it does not exist, `storage.failed` when it cannot be read.
    public init(_ path: String) throws(AOperationError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AOperationError(artifact: FileDraft.failure(toRead: path, errno)) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw AOperationError(.storage, detail: "\(path) is no file whose content can be sent.")
        }
        self.path = path
        self.descriptor = descriptor
        byteCount = Int(facts.st_size)
    }

    deinit { close(descriptor) }

    /// Reads from `offset` into the start of `bytes`.
    /// - Throws: `storage.failed` when that is impossible.
    public func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
            }
            if count >= 0 { return min(count, byteCount - offset) }
            let code = errno
            if code != EINTR { throw HTTPCallFailure(artifact: FileDraft.failure(toRead: path, code)) }
        }
    }
}
