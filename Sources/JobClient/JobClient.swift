package import Commands

/// The commands that talk to a server.
package enum JobClient {
    /// All commands, in the order of the help.
    package static let commands: [Command] =
        [
            SubmitAction.submit, RunAction.run, UploadAction.upload, ReadActions.get, ListAction.list,
            WaitAction.wait,
            WatchAction.watch, StatsAction.stats, StatsAction.failures,
            ReadActions.result, ReadActions.explain, ControlActions.cancel, ControlActions.retry,
        ] + ResourceTable.all.map(\.command) + [APIAction.api, ReadActions.health]

    /// Runs a command.
    /// - Returns: the exit code.
    package static func run(
        _ command: Command, _ arguments: [String], environment: [String: String]
    ) async throws(CommandFailure) -> Int32 {
        if command.name == RunAction.run.name {
            return try await RunAction.run(arguments, environment: environment)
        }
        let action = try Action(command, arguments, environment: environment)
        switch command.name {
        case "submit": return try await SubmitAction.submit(action)
        case "upload": return try await UploadAction.upload(action)
        case "get": return try await ReadActions.get(action)
        case "list": return try await ListAction.list(action)
        case "wait": return try await WaitAction.wait(action)
        case "watch": return try await WatchAction.watch(action)
        case "stats": return try await StatsAction.stats(action)
        case "failures": return try await StatsAction.failures(action)
        case "result": return try await ReadActions.result(action)
        case "explain": return try await ReadActions.explain(action)
        case "health": return try await ReadActions.health(action)
        case "cancel": return try await ControlActions.cancel(action)
        case "retry": return try await ControlActions.retry(action)
        case "api": return try await APIAction.api(action)
        default:
            guard let resource = ResourceTable.command(command.name) else {
                throw .usage("There is no command \"\(command.name)\".", command: "")
            }
            return try await ResourceAction.run(resource, action)
        }
    }
}
