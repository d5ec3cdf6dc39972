internal import HTTPMessage
internal import JobKit
internal import StrictJSON
internal import Synchronization

// DESIGN
// Content goes to a separate file per start (`DownloadPast.run`). The start is recorded when it comes; the durable
// length is recorded now and then, after a sync. So the notes never promise more than the file holds, and never refer
// to other content: a download that started over uses a new file, and the old one is removed only when the new note is
// durable.

/// Takes the content of a download, over all requests of one attempt.
final class DownloadSink: CountingSink {
    /// The interval of progress reports, and of syncs.
    static let reportEvery = Duration.milliseconds(500)
    static let syncEvery = Duration.seconds(2)

    /// The last answer.
    enum Answer: Sendable {
        case none, content, nothingLeft, other
        case outdated(String)
    }

    private struct Course {
        var past: DownloadPast?
        var draft: (any ArtifactDraft)?
        var offset = 0
        /// Whether secrets were replaced by stars in the content.
        var hasHidden = false
        var answer = Answer.none
        var excerpt: [UInt8] = []
        var reportedAt: Timestamp?
        var syncedAt: Timestamp?
        var outdatedKeys: [ArtifactKey] = []
    }

    private let context: OperationContext
    private let place: any ArtifactPlace
    private let rules: DownloadRules
    private let resumes: Bool
    private let course = Mutex(Course())

    init(context: OperationContext, place: any ArtifactPlace, rules: DownloadRules, resumes: Bool) {
        self.context = context
        self.place = place
        self.rules = rules
        self.resumes = resumes
    }

    private func key(_ run: Int) -> ArtifactKey {
        ArtifactKey(owner: context.seed, name: "\(context.path.joined(separator: "/"))#\(run)")
    }

    /// The last answer, with an excerpt of its content unless that is the download's.
    var answer: (Answer, excerpt: [UInt8]) { course.withLock { ($0.answer, $0.excerpt) } }

    /// The path of the operation.
    var path: [String] { context.path }

    /// The facts about the content.
    var past: DownloadPast? { course.withLock { $0.past } }

    /// Whether secrets were replaced by stars in the content.
    var hasHidden: Bool { course.withLock { $0.hasHidden } }

    /// The length so far.
    var byteCount: Int { course.withLock { $0.draft?.byteCount ?? 0 } }

    // MARK: Rounds

    /// Resumes an earlier attempt, once.
    func open() async throws(ArtifactFailure) {
        guard let past = DownloadPast(note: context.remembered(DownloadPast.headNote)) else { return }
        course.withLock { $0.past = past }
        let note = context.remembered(DownloadPast.doneNote)
        let done = past.done(in: note)
        guard resumes, past.validator != nil, done > 0 else { return }
        let draft = try await place.partial(key(past.run), keeping: done)
        guard draft.byteCount > 0 else { return draft.discard() }
        course.withLock { course in
            course.draft = draft
            course.hasHidden = past.hasHidden(in: note)
        }
        report(draft.byteCount, past.total)
    }

    /// Begins a request and returns its range: nil means the whole content.
    func nextRange() -> (offset: Int, validator: String)? {
        course.withLock { course in
            course.answer = .none
            course.excerpt = []
            course.offset = 0
            guard let count = course.draft?.byteCount, count > 0, let validator = course.past?.validator
            else {
                return nil
            }
            course.offset = count
            return (count, validator)
        }
    }

    /// Discards the partial content.
    func startOver() {
        course.withLock { course in
            let draft = course.draft
            course.draft = nil
            return draft
        }?.discard()
    }

    /// Ends the attempt and keeps the partial content for another one.
    func keep() async {
        let (draft, past, hasHidden) = course.withLock { course in
            defer { course.draft = nil }
            return (course.draft, course.past, course.hasHidden)
        }
        guard let draft, let past else { return }
        guard resumes, past.validator != nil else { return draft.discard() }
        let done = await draft.close()
        try? await context.remember(past.note(done: done, hasHidden: hasHidden), as: DownloadPast.doneNote)
        removeOutdated()
    }

    /// Ends the download with its complete content.
    func finish() async throws(ArtifactFailure) -> ArtifactReference {
        let draft = course.withLock { course in
            defer { course.draft = nil }
            return course.draft
        }
        guard let draft else { throw ArtifactFailure(.missing, "There is no content.") }
        report(draft.byteCount, past?.total ?? draft.byteCount)
        let artifact = try await draft.finishFile()
        removeOutdated()
        return artifact
    }

    private func removeOutdated() {
        let keys = course.withLock { course in
            defer { course.outdatedKeys = [] }
            return course.outdatedKeys
        }
        for key in keys { place.removePartial(key) }
    }

    // MARK: The content

    func begin(status: Int, fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        let offset = course.withLock { $0.offset }
        let meaning = rules.meaning(status: status, fields, offset: offset, past: past)
        switch meaning {
        case .whole: try beginAnew(status, fields)
        case .rest:
            if let total = past?.total { try checkRoom(for: total - offset) }
            course.withLock { $0.answer = .content }
        case .nothingLeft: course.withLock { $0.answer = .nothingLeft }
        case .other: course.withLock { $0.answer = .other }
        case .outdated(let why):
            course.withLock { $0.answer = .outdated(why) }
            throw DownloadRules.failure(
                .downloadRange, "The upstream \(why). The download has to begin anew.")
        }
    }

    /// Refuses content of a known length that does not fit, before any of it is taken.
    private func checkRoom(for bytes: Int) throws(HTTPCallFailure) {
        do throws(ArtifactFailure) { try place.checkRoom(for: bytes) } catch {
            throw HTTPCallFailure(artifact: error)
        }
    }

    private func beginAnew(_ status: Int, _ fields: [(name: String, value: String)]) throws(HTTPCallFailure) {
        let former = past
        let fresh = DownloadPast(run: (former?.run ?? 0) + 1, status: status, fields: fields)
        if let objection = rules.objection(to: fresh) { throw objection }
        if let total = fresh.total { try checkRoom(for: total) }
        let draft: any ArtifactDraft
        do throws(ArtifactFailure) { draft = try place.newPartial(key(fresh.run)) } catch {
            throw HTTPCallFailure(artifact: error)
        }
        course.withLock { course in
            course.past = fresh
            course.draft = draft
            course.hasHidden = false
            course.answer = .content
            if let former { course.outdatedKeys.append(key(former.run)) }
        }
        context.note(fresh.note, as: DownloadPast.headNote)
        report(0, fresh.total)
    }

    func noteHidden() {
        course.withLock { course in
            if case .content = course.answer { course.hasHidden = true }
        }
    }

    func take(_ bytes: Span<UInt8>) throws(HTTPCallFailure) {
        enum Step { case pass, refuse(HTTPCallFailure), taken(any ArtifactDraft, DownloadPast) }
        let step = course.withLock { course -> Step in
            guard case .content = course.answer, let draft = course.draft, let past = course.past else {
                let room = CapturedAnswer.excerptBytes - course.excerpt.count
                for index in 0..<max(0, min(room, bytes.count)) { course.excerpt.append(bytes[index]) }
                return .pass
            }
            let count = draft.byteCount + bytes.count
            if count > rules.bytesMax { return .refuse(DownloadRules.tooLarge(count, rules.bytesMax)) }
            do throws(ArtifactFailure) { try draft.append(bytes) } catch {
                return .refuse(HTTPCallFailure(artifact: error))
            }
            return .taken(draft, past)
        }
        switch step {
        case .pass: return
        case .refuse(let failure): throw failure
        case .taken(let draft, let past): tell(draft, past)
        }
    }

    /// Reports progress, and syncs, when it is time.
    private func tell(_ draft: any ArtifactDraft, _ past: DownloadPast) {
        let now = context.clock.now
        let (reports, syncs) = course.withLock { course -> (Bool, Bool) in
            let reports = course.reportedAt.map { now.since($0) >= Self.reportEvery } ?? true
            if reports { course.reportedAt = now }
            guard let synced = course.syncedAt else {
                course.syncedAt = now
                return (reports, false)
            }
            let syncs = resumes && past.validator != nil && now.since(synced) >= Self.syncEvery
            if syncs { course.syncedAt = now }
            return (reports, syncs)
        }
        report(draft.byteCount, past.total, toAll: reports)
        guard syncs else { return }
        let hasHidden = hasHidden
        draft.sync { [context] result in
            guard case .success(let done) = result else { return }
            context.note(past.note(done: done, hasHidden: hasHidden), as: DownloadPast.doneNote)
        }
    }

    /// A query always gets the latest progress; observers are notified now and then.
    private func report(_ done: Int, _ total: Int?, toAll: Bool = true) {
        let progress = OperationProgress(
            completed: Int64(done), total: total.map { Int64($0) }, text: "bytes")
        if toAll { context.report(progress) } else { context.show(progress) }
    }
}
