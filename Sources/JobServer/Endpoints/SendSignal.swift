import HTTPMessage
import JobJournal
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// `POST /v1/jobs/{id}/signals/{name}`: sends a signal to a job, also before an `await` operation waits for it.
enum SendSignal {
    /// The maximum size of the value's JSON.
    static let bytesMax = 256 << 10
    /// The number of a job's posts up to which a signal is looked up in its operations: all posts are read for it.
    private static let lookedUpMax: Int64 = 16

    /// Stores the signal durably: 202 with the job, and with a warning when nothing awaits it.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let name = try RequestContext.checked(name: context.lastPathPart, of: "signal", else: .notFound)
        let message = JobMessage(
            by: context.caller.by, content: try content(name, context.request))
        let post = JobPost(
            id: id, journal: JournalEntry(at: context.startedAt, path: [], event: .message(message)))
        context.auditedStore.perform(post) { result in
            if case .success(let receipt) = result, receipt.isRunning {
                context.server.engine.deliver(message, number: receipt.number, to: id)
            }
            context.goOn { () throws(Problem) in
                let receipt = try stored(result.get())
                if isInQuestion(name, receipt, context), answerAfterLook(context, name, receipt.job) {
                    return
                }
                JobAnswer.sendAwaited(context, .accepted, receipt.job)
            }
        }
    }

    /// Whether no operation may await the signal. One that the job is known to wait for costs no look at its spec.
    private static func isInQuestion(
        _ name: String, _ receipt: PostReceipt, _ context: RequestContext
    ) -> Bool {
        guard context.showsJobs, receipt.number <= lookedUpMax else { return false }
        return !receipt.job.detail.values.waits.contains {
            $0.wait.reason == .signal && $0.wait.key?.hasSameBytes(as: name) == true
        }
    }

    /// Answers from a reader thread; false when they have too much to do.
    private static func answerAfterLook(_ context: RequestContext, _ name: String, _ job: JobRecord) -> Bool {
        context.server.reads.threads.run(for: context.tenant) { reader in
            let warning = warning(about: name, to: job, reader, context.server.journals)
            JobAnswer.sendAwaited(
                context, .accepted, job,
                extras: JobExtras.warnings(warning.map { [$0] } ?? []))
        }
    }

    /// The warning about a signal that no operation awaits; nil also when that cannot be read: the signal is stored.
    private static func warning(
        about name: String, to job: JobRecord, _ reader: any JobReader, _ cache: JournalIndexCache
    ) -> SpecWarning? {
        do {
            guard let bytes = try reader.spec(job.id) else { return nil }
            let index = try reader.index(job.id, from: cache.index(of: job.id))
            cache.keep(index, of: job.id)
            let entries = try reader.journal(job.id, at: index.entries(of: [.root]))
            let additions = JournalFold(entries.map(\.entry)).additions
            return AwaitedSignals(try JobHistory.spec(of: job, bytes, adding: additions)).warning(about: name)
        } catch { return nil }
    }

    /// The signal: the JSON value in the body, null when there is none, or content of another type as it is.
    private static func content(
        _ name: String, _ request: HTTPRequest
    ) throws(Problem) -> JobMessage.Content {
        guard !request.body.isEmpty else { return .signal(name: name, value: .null) }
        let type = try Negotiation.contentType(request.head).map { String(decoding: $0, as: UTF8.self) }
        let content = OperationResult(status: nil, headers: [], contentType: type, body: request.body)
        // Forms are what curl says unless it is told otherwise.
        guard let type, !content.isJSON, MediaType(type)?.essence != "application/x-www-form-urlencoded"
        else {
            return .signal(name: name, value: try request.json())
        }
        try Negotiation.checkEncoding(request.head)
        return .content(name: name, content)
    }
}
