internal import Commands
internal import StrictJSON

/// `jobserver wait`.
enum WaitAction {
    static let wait = Command(
        "wait", "ID…", in: .jobs, "wait until jobs have ended", usage: ["wait ID… [FLAGS]"],
        text: """
            Waits until all these jobs have ended and prints the id and the state of each. Exits 0 when all have
            succeeded, 1 when one has not, 11 when the time is over. On a terminal it shows their progress.
            """,
        flags: ServerAddress.flags + [Action.timeoutFlag, Action.quietFlag, Action.jsonFlag],
        examples: ["jobserver wait --timeout 5m $id && jobserver result $id"])

    static func wait(_ action: Action) async throws(CommandFailure) -> Int32 {
        let ids = try await action.jobIDs("Say for which jobs: jobserver wait job_…")
        let deadline = try action.deadline()
        var code: Int32 = 0
        for id in ids {
            let job = try await action.end(of: id, by: deadline)
            try action.say(action.isJSON ? job.json.text : "\(job.id) \(job.state)")
            code = max(code, action.code(for: job))
        }
        return code
    }
}
