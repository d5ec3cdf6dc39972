internal import HTTPMessage
internal import Synchronization

/// Streams the content of an answer into a place for downloads.
final class DownloadPlaceSink: HTTPContentSink {
    private struct Course {
        var draft: (any DownloadDraft)?
        var progress = OperationProgress(completed: 0, text: "bytes")
        /// The bytes that were told.
        var reported: Int64 = 0

        /// Counts bytes.
        /// - Returns: the progress, when it is to be told.
        mutating func take(_ count: Int) -> OperationProgress? {
            progress.completed += Int64(count)
            let isDone = progress.total.map { $0 <= progress.completed } ?? false
            guard isDone || progress.completed - reported >= DownloadPlaceSink.stepBytes else { return nil }
            reported = progress.completed
            return progress
        }
    }

    /// The bytes from one report of progress to the next.
    fileprivate static let stepBytes: Int64 = 64 << 10

    private let place: any DownloadPlace
    private let call: HTTPCall
    private let keepsErrors: Bool
    private let report: @Sendable (OperationProgress) -> Void
    private let course = Mutex(Course())

    /// - Parameters:
    ///   - keepsErrors: whether content that comes with a status from 400 on is kept, too.
    ///   - report: told the received bytes from time to time.
    init(
        place: any DownloadPlace, call: HTTPCall, keepsErrors: Bool,
        report: @escaping @Sendable (OperationProgress) -> Void
    ) {
        self.place = place
        self.call = call
        self.keepsErrors = keepsErrors
        self.report = report
    }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        discard()
        guard status < 400 || keepsErrors else { return }
        let length = fields.first { $0.name.lowercased() == "content-length" }.flatMap { Int64($0.value) }
        let isCoded = fields.contains { $0.name.lowercased() == "content-encoding" }
        try guarded { course in
            course.draft = try place.begin(for: call)
            (course.reported, course.progress) = (
                0, OperationProgress(completed: 0, total: isCoded ? nil : length, text: "bytes")
            )
        }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        // A closure cannot capture a span, hence the explicit form.
        let (thrown, progress) = course.withLock { course -> ((any Error)?, OperationProgress?) in
            guard let draft = course.draft else { return (nil, nil) }
            do {
                try draft.append(bytes)
                return (nil, course.take(bytes.count))
            } catch {
                return (error, nil)
            }
        }
        if let thrown { throw Self.failure(thrown) }
        if let progress { report(progress) }
    }

    /// Finishes the file. A transport without support for sinks has the content in the answer.
    func finish(_ answer: HTTPCallAnswer) async throws -> DownloadedFile {
        let taken = course.withLock { course in
            defer { course.draft = nil }
            return course.draft
        }
        let file: DownloadedFile
        if let taken {
            file = try await taken.finish()
        } else {
            let draft = try place.begin(for: call)
            do { try draft.append(answer.body.span) } catch {
                draft.discard()
                throw error
            }
            file = try await draft.finish()
        }
        let size = Int64(file.byteCount)
        if size > 0, course.withLock({ $0.reported }) < size {
            report(OperationProgress(completed: size, total: size, text: "bytes"))
        }
        return file
    }

    func discard() {
        course.withLock { course in
            defer { course.draft = nil }
            return course.draft
        }?.discard()
    }

    private func guarded(_ body: (inout Course) throws -> Void) throws(HTTPCallFailure) {
        let thrown = course.withLock { course -> (any Error)? in
            do {
                try body(&course)
                return nil
            } catch {
                return error
            }
        }
        if let thrown { throw Self.failure(thrown) }
    }

    private static func failure(_ error: any Error) -> HTTPCallFailure {
        if let failure = error as? ArtifactFailure { return HTTPCallFailure(artifact: failure) }
        return HTTPCallFailure(
            code: ErrorCode.storage.description, detail: "The content could not be kept: \(error).",
            phase: .receive, delivery: .answered)
    }
}
