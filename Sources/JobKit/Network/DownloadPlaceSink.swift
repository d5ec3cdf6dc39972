internal import HTTPMessage
internal import Synchronization

/// Streams the content of an answer into a place for downloads.
final class DownloadPlaceSink: HTTPContentSink {
    private struct Course {
        var draft: (any DownloadDraft)?
    }

    private let place: any DownloadPlace
    private let call: HTTPCall
    private let keepsErrors: Bool
    private let course = Mutex(Course())

    /// - Parameter keepsErrors: whether content that comes with a status from 400 on is kept, too.
    init(place: any DownloadPlace, call: HTTPCall, keepsErrors: Bool) {
        self.place = place
        self.call = call
        self.keepsErrors = keepsErrors
    }

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        discard()
        guard status < 400 || keepsErrors else { return }
        try guarded { course in course.draft = try place.begin(for: call) }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        // A closure cannot capture a span, hence the explicit form.
        let thrown = course.withLock { course -> (any Error)? in
            do {
                try course.draft?.append(bytes)
                return nil
            } catch {
                return error
            }
        }
        if let thrown { throw Self.failure(thrown) }
    }

    /// Finishes the file. A transport without support for sinks has the content in the answer.
    func finish(_ answer: HTTPCallAnswer) async throws -> DownloadedFile {
        let taken = course.withLock { course in
            defer { course.draft = nil }
            return course.draft
        }
        if let taken { return try await taken.finish() }
        let draft = try place.begin(for: call)
        do { try draft.append(answer.body.span) } catch {
            draft.discard()
            throw error
        }
        return try await draft.finish()
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
