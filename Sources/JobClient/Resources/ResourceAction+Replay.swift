internal import Commands
internal import HTTPMessage
internal import StrictJSON

extension ResourceAction {
    /// Has a delivery to a hook act again, or all with an outcome, a hundred at a time.
    func replay() async throws(CommandFailure) -> Int32 {
        var members = JSONObject()
        if action.given.has("refused") { members["refused"] = .bool(true) }
        guard let outcome = action.given.value("outcome") else {
            guard words.count == 2 else { throw usage }
            let answer = try await send(members, of: words[1])
            try action.say(action.isJSON ? answer.text : ObjectText.text(answer, now: now))
            return ExitCode.success.rawValue
        }
        guard words.count == 1 else { throw usage }
        members["outcome"] = .string(outcome)
        var (isWhole, isEmpty) = (true, true)
        repeat {
            let answer = try await send(members).object ?? JSONObject()
            let items = answer["items"]?.array ?? []
            isWhole = isWhole && !items.contains { $0.object?["error"] != nil }
            let table =
                action.isJSON
                ? items.map(\.text) : ObjectText.table(items, columns: Self.replayColumns, now: now)
            for line in items.isEmpty ? [] : table { try action.say(line) }
            isEmpty = isEmpty && items.isEmpty
            members["before"] = answer["next_before"]
        } while members["before"] != nil
        if isEmpty { action.complain("No delivery that was \(outcome) is left to replay.") }
        return (isWhole ? ExitCode.success : .partial).rawValue
    }

    private static let verb = ":replay"
    private static let replayColumns = ["id", "delivery.outcome", "delivery.job_id", "error.detail"]

    /// - Parameter delivery: the one that acts again; nil for all that the members choose.
    private func send(
        _ members: JSONObject, of delivery: String? = nil
    ) async throws(CommandFailure) -> JSONValue {
        let all = try path([words[0]])
        let one = delivery.map { all.dropLast(Self.verb.count) + "/\(PercentCoding.encode($0))" + Self.verb }
        var request = ServerRequest(one ?? all)
        request.method = "POST"
        request.isRepeatable = false
        set(.object(members), &request)
        return try await action.service.connection.read(request).json(action.service.address)
    }
}
