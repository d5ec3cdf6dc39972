// DESIGN
// A report counts from its acknowledgement on, which may come while a clock of the wait runs out. So the wait does not
// decide alone that it is over: it asks the store, where the report and the end of the wait come one after the other.
// Signs of life are kept there, too, and asked for when they seem to be missing: a run that waits is not woken by them.
// Silence counts from the time since which senders can be heard: after an outage they get the whole time once more. The
// begin of the run would be too late, since a run begins whenever one of these dates has come.

extension OperationContext {
    /// Waits for a request to the callback URL of the operation.
    /// - Parameters:
    ///   - until: when to give up; nil is never.
    ///   - heartbeat: the longest time between signs of life of the sender; nil expects none.
    /// - Returns: the request; nil when it did not come in time.
    /// - Throws: `callback.failed` when the sender reports a failure; `callback.silent`; when the operation is stopped.
    package func callback(until: Timestamp?, heartbeat: Duration?) async throws -> OperationResult? {
        guard let journal = core.environment.journal, let desk = core.environment.callbacks else {
            throw AOperationError(
                .callbackUnavailable, detail: "Only a job of a server has callback URLs.")
        }
        core.environment.scrubber.knowCallbacks()
        var heard = startedAt
        while true {
            heard = max(heard, desk.hearsSince)
            let silence = heartbeat.map { heard.advanced(by: $0 + SignOfLife.span(within: heartbeat)) }
            let date = [until, silence].compactMap(\.self).min()
            if let report = try await report(until: date, journal) { return try content(of: report) }
            let isOver = until.map { $0 <= clock.now } ?? false
            // An outage while it waited is no silence of the sender.
            if !isOver, desk.hearsSince > heard { continue }
            let place = journal.fold.callbackPlace(at: path)
            switch try await desk.close(place, heard: isOver ? nil : heard) {
            case .heard(let time): heard = time
            case .reported: return try await report(until: nil, journal).map(content(of:))
            case .closed where isOver: return nil
            case .closed: throw silent(heartbeat ?? .zero)
            }
        }
    }

    private func report(until: Timestamp?, _ journal: any OperationJournal) async throws -> JobReport? {
        let path = path
        let isOwn: @Sendable (JobMessage) -> Bool = { message in
            guard case .report(let report) = message.content,
                report.place == CallbackPlace(path: path, round: report.place.round)
            else { return false }
            return report.place == journal.fold.callbackPlace(at: path)
        }
        // A completion counts for each try that has its URL, also if an earlier try took it.
        let inbox = core.environment.inbox
        if let number = inbox.first(takes: false, where: { isOwn($0) && $0.isCompletion }),
            case .report(let report)? = inbox[number]?.content
        {
            core.messages.noteTaken(number)
            return report
        }
        let message = try await core.messages.first(
            OperationWait(until: until, reason: .callback), takes: true, where: isOwn)
        if case .report(let report)? = message?.content { return report }
        return nil
    }

    private func content(of report: JobReport) throws(AOperationError) -> OperationResult {
        guard let failure = report.failure else { return report.content }
        let detail = failure.detail.map { ": \($0)" } ?? "."
        var error = AOperationError(
            .callbackFailed, detail: "\(name) was reported as failed (\(failure.code))\(detail)")
        error.publishedError = .init(
            domain: "callback", code: 0, description: failure.detail ?? failure.code,
            failureReason: failure.code)
        throw error
    }

    private func silent(_ heartbeat: Duration) -> AOperationError {
        AOperationError(
            .callbackSilent,
            detail:
                "The callback URL of \(name) received no heartbeat for \(DurationText.text(heartbeat)). "
                + "The sender posts to …/heartbeat or …/progress while it works.")
    }
}

extension JobMessage {
    /// Whether it is a report that completes a wait.
    fileprivate var isCompletion: Bool {
        if case .report(let report) = content { return report.failure == nil }
        return false
    }
}
