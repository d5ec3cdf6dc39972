internal import Commands
internal import EventIO
internal import HTTPMessage
internal import StrictJSON

/// `jobserver get`, `jobserver result`, `jobserver explain` and `jobserver health`.
enum ReadActions {
    static let get = Command(
        "get", "ID", in: .jobs, "show a job", usage: ["get ID [FLAGS]"],
        text: """
            Shows the state of a job, its error or the reason for its wait. Exits 0 whatever the state. The id may be
            shortened to a beginning that no other has, here and in all commands; - is the job that was submitted last
            from this directory, or from any.
            """,
        flags: ServerAddress.flags + [Action.jsonFlag])

    static func get(_ action: Action) async throws(CommandFailure) -> Int32 {
        let id = try await action.jobID("Say which job: jobserver get job_…")
        let job = try await action.service.job(id)
        try action.say(action.isJSON ? job.json.text : JobText.full(job))
        return 0
    }

    static let result = Command(
        "result", "ID", in: .jobs, "print the result of a job", usage: ["result ID [FLAGS]"],
        text: """
            Writes the result of a job, byte by byte, to standard output or into a file. A broken connection is
            resumed. Exits 1 when the job has no result, 11 when it has not ended. With --follow it waits for the content,
            and writes that of an operation with stream as it arrives; a retry that begins anew ends it with exit 1.
            """,
        flags: ServerAddress.flags + [
            Flag(
                name: "operation", value: "PATH", help: "the result of one operation, such as login/token",
                hasVariable: false),
            Flag(name: "output", value: "FILE", help: "write it into this file", hasVariable: false),
            Flag(name: "follow", help: "write the content as it arrives", hasVariable: false),
        ])

    static func result(_ action: Action) async throws(CommandFailure) -> Int32 {
        let id = try await action.jobID("Say which job: jobserver result job_…")
        let operation = action.given.value("operation")
        let path = action.given.value("output")
        let open: @Sendable () -> DescriptorOutput? = {
            path.map { DescriptorOutput.create($0) } ?? .standardOutput
        }
        let file =
            action.given.has("follow")
            ? try await action.service.followResult(of: id, operation: operation, to: open)
            : try await action.service.writeResult(of: id, operation: operation, to: open)
        guard let path else { return 0 }
        guard file?.close() == true else {
            throw CommandFailure(code: .failure, text: "\(path) cannot be written.")
        }
        return 0
    }

    static let health = Command(
        "health", in: .server, "check that a server accepts jobs", usage: ["health [FLAGS]"],
        text: """
            Asks a server whether it accepts jobs (GET /readyz) and exits 0 if it does, 1 with the reason if not, and 10
            when no server answers. For health checks of containers.
            """,
        flags: ServerAddress.flags + [Action.jsonFlag])

    static func health(_ action: Action) async throws(CommandFailure) -> Int32 {
        let answer = try await action.service.connection.once(ServerRequest("/readyz"))
        guard answer.isSuccess else {
            var failure = answer.failure(action.service.address)
            // A server that says that it is not ready is there.
            failure.code = .failure
            throw failure
        }
        try action.say(action.isJSON ? answer.json(action.service.address).text : "ready")
        return 0
    }

    static let explain = Command(
        "explain", "ID", in: .jobs, "explain why a job waits or has failed", usage: ["explain ID [FLAGS]"],
        text: "Explains why a job waits and what ends the wait, or why it has failed and what to do.",
        flags: ServerAddress.flags + [Action.jsonFlag])

    static func explain(_ action: Action) async throws(CommandFailure) -> Int32 {
        let id = try await action.jobID("Say which job: jobserver explain job_…")
        let service = action.service
        let answer = try await service.connection.read(ServerRequest(JobService.path(id) + "/explain"))
        let json = try answer.json(service.address)
        if action.isJSON {
            try action.say(json.text)
            return 0
        }
        let facts = JobFacts(json)
        try action.say(facts.at("/summary")?.string ?? facts.state)
        let operations = facts.at("/operations")?.array ?? []
        for operation in operations where operations.count > 1 {
            let part = JobFacts(operation)
            let causes = (part.at("/waiting_on")?.array ?? []).compactMap { $0.object?["detail"]?.string }
            let words = causes.isEmpty ? [part.state] : causes
            try action.say("  \(part.at("/operation")?.string ?? ""): \(words.joined(separator: " "))")
        }
        if let next = facts.at("/next")?.string { try action.say(next) }
        return 0
    }
}
