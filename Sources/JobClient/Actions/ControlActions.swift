internal import Commands
internal import StrictJSON

/// `jobserver cancel` and `jobserver retry`.
enum ControlActions {
    static let cancel = Command(
        "cancel", "ID…", in: .jobs, "cancel jobs", usage: ["cancel ID… [FLAGS]"],
        text: """
            Requests the cancellation of jobs and prints the id and the state of each: cancelled, cancelling while a
            running one ends, or the state in which it had ended before.
            """,
        flags: ServerAddress.flags + [
            Flag(name: "reason", value: "TEXT", help: "the reason, kept with the job", hasVariable: false),
            Action.jsonFlag,
        ])

    static let retry = Command(
        "retry", "ID…", in: .jobs, "retry what did not succeed in jobs", usage: ["retry ID… [FLAGS]"],
        text: """
            Returns failed, cancelled or expired jobs to their queue. Operations that succeeded keep their results.
            """,
        flags: ServerAddress.flags + [Action.jsonFlag])

    static func cancel(_ action: Action) async throws(CommandFailure) -> Int32 {
        var body = JSONObject()
        body["reason"] = action.given.value("reason").map(JSONValue.string)
        return try await run("cancel", action, body, isRepeatable: true)
    }

    static func retry(_ action: Action) async throws(CommandFailure) -> Int32 {
        try await run("retry", action, JSONObject(), isRepeatable: false)
    }

    private static func run(
        _ name: String, _ action: Action, _ body: JSONObject, isRepeatable: Bool
    ) async throws(CommandFailure) -> Int32 {
        for id in try await action.jobIDs("Say which jobs: jobserver \(name) job_…") {
            let job = try await action.service.command(name, id, body, isRepeatable: isRepeatable)
            try action.say(action.isJSON ? job.json.text : "\(job.id) \(job.state)")
        }
        return 0
    }
}
