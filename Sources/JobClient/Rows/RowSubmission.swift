internal import Commands
internal import HTTPMessage
internal import StrictJSON

/// `jobserver submit` of many rows.
struct RowSubmission {
    private let action: Action
    private let name: String
    private let waits: Bool
    private var rows: any InputRows
    private var progress: RowProgress
    private var ends: RowEnds
    private var accepted = 0
    /// Those of the accepted that were there before.
    private var found = 0
    private var refused = 0
    private var lastLine = 0

    init(_ action: Action, _ rows: any InputRows, name: String, waits: Bool) {
        self.action = action
        self.rows = rows
        self.name = name
        self.waits = waits
        progress = RowProgress(isQuiet: action.given.has("quiet"))
        ends = RowEnds(action.service)
    }

    /// Submits all rows, waits if that is wanted, and returns the exit code.
    mutating func run() async throws(CommandFailure) -> Int32 {
        let deadline = try action.deadline()
        do throws(CommandFailure) { try await submit() } catch {
            progress.clear()
            throw CommandFailure(code: error.code, text: error.text + stop)
        }
        guard accepted + refused > 0 else {
            throw CommandFailure(code: .failure, text: "\(name) has no rows: nothing was submitted.")
        }
        let old = found > 0 ? ", \(found) of them by an earlier submission of the same rows" : ""
        let rest = refused > 0 ? "; \(Counted.text(refused, "row")) refused" : ""
        progress.tell("\(name): \(Counted.text(accepted, "job")) submitted\(old)\(rest)")
        if waits { try await wait(by: deadline) }
        let failed = waits ? ends.count - ends.succeeded : 0
        if refused + failed == 0 { return ExitCode.success.rawValue }
        let isNothing = accepted == 0 || (waits && ends.count > 0 && ends.succeeded == 0)
        return (isNothing ? ExitCode.failure : .partial).rawValue
    }

    /// The place at which a submission ended early, and the remedy.
    private var stop: String {
        lastLine == 0
            ? ""
            : "\nThe rows up to line \(lastLine) were submitted. The same command goes on there, within 24 hours."
    }

    private mutating func submit() async throws(CommandFailure) {
        var batch = RowBatch(number: 1)
        while let row = try rows.next() {
            if !batch.fits(row) {
                try await send(batch)
                batch = RowBatch(number: batch.number + 1)
            }
            batch.add(row)
        }
        if !batch.rows.isEmpty { try await send(batch) }
    }

    private mutating func send(_ batch: RowBatch) async throws(CommandFailure) {
        let sender = BatchSender(service: action.service, key: action.given.value("idempotency-key"))
        var shown = progress
        let sent = "\(name): \(Counted.text(accepted, "job")) submitted"
        let (outcomes, date) = try await sender.send(batch) { rows, reason in
            shown.show("\(sent); \(Counted.text(rows, "row")) must wait: \(reason)")
        }
        progress = shown
        var lines: [String] = []
        for outcome in outcomes {
            if outcome.isAccepted {
                accepted += 1
                if outcome.wasThere { found += 1 }
                if !action.isJSON, let id = outcome.job?.id { lines.append(id) }
                if waits, let end = ends.add(outcome, at: date) { report(end) }
            } else {
                refused += 1
                progress.say("\(name):\(outcome.line): \(outcome.reason)")
            }
            if action.isJSON { lines.append(outcome.text) }
        }
        if !lines.isEmpty {
            progress.clear()
            try action.say(lines.joined(separator: "\n"))
        }
        lastLine = outcomes.last?.line ?? lastLine
        if let late = outcomes.first(where: \.isTemporary) {
            throw CommandFailure(
                code: .unreachable,
                text: "\(name):\(late.line): The server has had no room for further rows for "
                    + "\(BatchSender.patience.components.seconds / 60) minutes: \(late.reason)")
        }
        progress.show("\(name): \(Counted.text(accepted, "job")) submitted")
    }

    private mutating func report(_ end: RowEnds.End) {
        guard !end.job.hasSucceeded else { return }
        let reason = end.job.error.map { ": \($0)" } ?? ""
        progress.say("\(name):\(end.line): \(end.job.id) \(end.job.state)\(reason)")
    }

    private mutating func wait(by deadline: ContinuousClock.Instant?) async throws(CommandFailure) {
        var pause = Duration.milliseconds(50)
        while ends.openCount > 0 {
            for end in try await ends.look(by: deadline) { report(end) }
            guard ends.openCount > 0 else { break }
            if let deadline, ContinuousClock.now >= deadline {
                progress.clear()
                throw CommandFailure(
                    code: .unfinished,
                    text:
                        "\(ends.openCount) of \(ends.count) \(ends.openCount == 1 ? "has" : "have") not ended yet. "
                        + "The same command waits again, within 24 hours.")
            }
            let failed = ends.endedCount - ends.succeeded
            progress.show(
                "\(name) \(ProgressLine.bar(done: ends.endedCount, of: ends.count)) \(ends.endedCount) of "
                    + "\(ends.count) ended" + (failed > 0 ? ", \(failed) without success" : ""))
            pause = min(pause * 2, .seconds(1))
            let again = ContinuousClock.now + pause
            try? await Task.sleep(until: deadline.map { min($0, again) } ?? again)
        }
        progress.tell(
            "\(name): \(Counted.text(ends.count, "job")) ended, \(ends.succeeded) with success")
    }
}
