internal import Commands
internal import HTTPMessage
internal import StrictJSON

/// Sends batches of rows, each until the server has taken or refused every row.
struct BatchSender: Sendable {
    let service: JobService
    /// The idempotency key of the user.
    let key: String?

    /// The time without any progress after which rows that the server has no room for count as refused.
    static let patience = Duration.seconds(600)
    private static let pauseMax = Duration.seconds(5)

    /// The outcomes of all rows of a batch, in order, and the time of the server.
    /// - Parameter waiting: called before each pause with the number of rows that the server has no room for.
    func send(
        _ batch: RowBatch, waiting: (_ rows: Int, _ reason: String) -> Void
    ) async throws(CommandFailure) -> (outcomes: [RowOutcome], date: HTTPDate?) {
        guard let body = batch.body else { return (Self.joined(batch, []), nil) }
        let name = batch.key(key, body: body)
        var pause = Duration.milliseconds(500)
        var (least, since) = (Int.max, ContinuousClock.now)
        // The first answer tells what was there before this command.
        var found: [Bool] = []
        while true {
            let answer = try await service.answer(toBatch: body, key: name)
            guard answer.isSuccess else { return (try Self.refused(batch, answer, service.address), nil) }
            let items = try answer.json(service.address).object?["items"]?.array ?? []
            var outcomes = Self.joined(batch, items)
            if found.isEmpty { found = outcomes.map(\.wasThere) }
            let late = outcomes.filter(\.isTemporary)
            if late.count < least {
                (least, since) = (late.count, .now)
                pause = .milliseconds(500)
            }
            guard !late.isEmpty, since + Self.patience > .now else {
                for (index, isOld) in found.enumerated() where !isOld { outcomes[index].isNew = true }
                return (outcomes, answer.field("date").flatMap { HTTPDate($0) })
            }
            waiting(late.count, late.first?.reason ?? "")
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauseMax)
        }
    }

    /// The outcomes of the rows: the items of the answer, and between them what was not sent.
    private static func joined(_ batch: RowBatch, _ items: [JSONValue]) -> [RowOutcome] {
        var rest = items[...]
        return batch.rows.map { row in
            switch row.content {
            case .job: RowOutcome(line: row.line, item: rest.popFirst())
            case .refused(let reason): RowOutcome(line: row.line, refused: reason)
            }
        }
    }

    /// The outcomes of a batch that was refused as a whole: its key had other content.
    /// - Throws: the error of any other answer.
    private static func refused(
        _ batch: RowBatch, _ answer: ServerAnswer, _ address: ServerAddress
    ) throws(CommandFailure) -> [RowOutcome] {
        let failure = answer.failure(address)
        guard answer.status == 422 else { throw failure }
        return batch.rows.map { row in
            switch row.content {
            case .job: RowOutcome(line: row.line, refused: failure.text)
            case .refused(let reason): RowOutcome(line: row.line, refused: reason)
            }
        }
    }
}
