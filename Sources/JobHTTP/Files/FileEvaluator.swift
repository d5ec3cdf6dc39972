public import HTTPMessage
public import JobKit

/// A call and a closure that makes a value of the downloaded file.
///
/// During the closure the content is at `download.file.path`, a temporary file. It becomes the file that was asked for
/// when the closure has returned; when it throws, nothing is left of the download.
public struct FileEvaluator<Output: Sendable>: DownloadEvaluator {
    /// Makes a value of a download.
    public typealias Parse = @Sendable (_ download: Download) async throws -> Output

    /// The request.
    public var call: HTTPCall
    private let parse: Parse

    /// Makes a value of the file with the answer to `call`.
    public init(_ call: HTTPCall, parse: @escaping Parse) {
        self.call = call
        self.parse = parse
    }

    /// The request.
    public func call(in context: OperationContext) -> HTTPCall { call }

    /// The value of the closure.
    /// - Throws: the error of the call, or that of the closure.
    public func evaluate(_ download: Result<Download, AOperationError>) async throws -> Output {
        try await parse(download.get())
    }
}
