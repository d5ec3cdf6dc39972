public import FoundationEssentials
public import HTTPMessage
public import JobKit

extension NetworkDownloadOperation {
    /// Downloads `url` to a file, following up to 10 redirects. The content may have any size and take a day; a pause
    /// of 30 s within it ends the call.
    ///
    /// ```swift
    /// let file = try await queue.add(NetworkDownloadOperation(url: "https://…/report.pdf", to: "report.pdf")).value
    /// ```
    /// - Parameters:
    ///   - url: an absolute `http` or `https` URL.
    ///   - place: the file. It is there, whole, when the operation has succeeded.
    ///   - name: the display name; nil is the path of the file.
    public init(url: String, to place: FilePlace, name: String? = nil)
    where Evaluator == FileEvaluator<DownloadedFile> {
        self.init(HTTPCall(download: url), to: place, name: name)
    }

    /// The same for a `URL`.
    public init(url: URL, to place: FilePlace, name: String? = nil)
    where Evaluator == FileEvaluator<DownloadedFile> {
        self.init(HTTPCall(download: url.absoluteString), to: place, name: name)
    }

    /// Downloads the content of the answer to `call`, within the limits of the call: 8 MiB and 60 s by default.
    public init(_ call: HTTPCall, to place: FilePlace, name: String? = nil)
    where Evaluator == FileEvaluator<DownloadedFile> {
        self.init(call, to: place, name: name) { download in
            DownloadedFile(path: place.path, byteCount: download.file.byteCount)
        }
    }

    /// Downloads `url` to a file, as above, and makes a value of it.
    /// - Parameters:
    ///   - url: an absolute `http` or `https` URL.
    ///   - place: the file. It is there, whole, when the operation has succeeded.
    ///   - name: the display name; nil is the path of the file.
    ///   - parse: called with the complete content in a temporary file. When it throws, the operation fails, and the
    ///     file at `place` is what it was.
    public init<Output>(
        url: String, to place: FilePlace, name: String? = nil, parse: @escaping FileEvaluator<Output>.Parse
    ) where Evaluator == FileEvaluator<Output> {
        self.init(HTTPCall(download: url), to: place, name: name, parse: parse)
    }

    /// The same for a `URL`.
    public init<Output>(
        url: URL, to place: FilePlace, name: String? = nil, parse: @escaping FileEvaluator<Output>.Parse
    ) where Evaluator == FileEvaluator<Output> {
        self.init(HTTPCall(download: url.absoluteString), to: place, name: name, parse: parse)
    }

    /// Downloads the content of the answer to `call`, within the limits of the call, and makes a value of the file.
    public init<Output>(
        _ call: HTTPCall, to place: FilePlace, name: String? = nil,
        parse: @escaping FileEvaluator<Output>.Parse
    ) where Evaluator == FileEvaluator<Output> {
        self.init(FileEvaluator(call, parse: parse), to: place, name: name ?? place.path)
    }
}

extension HTTPCall {
    /// A GET of `url` for content of any size.
    fileprivate init(download url: String) {
        self.init(url: url)
        answerBytesMax = .max
        attemptTimeout = .seconds(86_400)
    }
}
