/// Runs of an operation one after the other, with waits between them. A wait counts from the end of the run before it,
/// and ends at the same time when the loop goes on in another process.
package struct RepeatLoop: Sendable {
    /// The most runs; nil is no limit.
    private let times: Int?
    /// The waits; the first value is the wait before run 2. Nil does not wait.
    private let wait: RetrySpec.Backoff?
    /// The number of the first run.
    private let first: Int

    /// - Parameters:
    ///   - times: the most runs; nil is no limit.
    ///   - wait: the waits; the first value is the wait before run 2. Nil does not wait.
    ///   - first: the number of the first run.
    package init(times: Int?, wait: RetrySpec.Backoff?, first: Int = 1) {
        self.times = times
        self.wait = wait
        self.first = first
    }

    /// Runs until one of the closures says that it is over, or all runs are made.
    /// - Parameters:
    ///   - next: makes the work of a run, by its number, before the wait; nil ends the loop.
    ///   - run: runs it; false ends the loop.
    package func execute<Work>(
        in context: OperationContext, next: (Int) throws -> Work?,
        run: (Int, Work) async throws -> Bool
    ) async throws {
        var number = first
        var last: RunEnd?
        while times.map({ number - first < $0 }) ?? true {
            guard let work = try next(number) else { return }
            if let last { try await pause(before: number, since: last, context) }
            guard try await run(number, work) else { return }
            last = context.end(ofRun: number)
            number += 1
        }
    }

    private func pause(before number: Int, since last: RunEnd, _ context: OperationContext) async throws {
        guard let wait, !context.hasBegun(run: number) else { return }
        let length = wait.wait(beforeAttempt: number)
        guard length > .zero else { return }
        let due = context.clock.end(of: length, since: last.date, uptime: last.uptime)
        try await context.core.wait(until: due, reason: .repetition)
    }
}

/// The end of a run.
private struct RunEnd {
    let date: Timestamp
    /// The clock's `uptime` then; nil when the run ended in an earlier process.
    let uptime: Duration?
}

extension OperationContext {
    /// The journal's history of a run, as it was when this run of the job began.
    private func history(ofRun number: Int) -> OperationHistory? {
        core.environment.journal?.history(of: path + [String(number)])
    }

    /// Whether a run was begun by an earlier run of the job, in the current try.
    fileprivate func hasBegun(run number: Int) -> Bool {
        let history = history(ofRun: number)
        return history?.startedAt != nil || history?.ending != nil
    }

    /// The end of a run that has just ended, or of one that an earlier run of the job ended.
    fileprivate func end(ofRun number: Int) -> RunEnd {
        history(ofRun: number)?.finishedAt.map { RunEnd(date: $0, uptime: nil) }
            ?? RunEnd(date: clock.now, uptime: clock.uptime)
    }
}
