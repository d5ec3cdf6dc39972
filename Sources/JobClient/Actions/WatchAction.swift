internal import Commands
internal import HTTPMessage
internal import StrictJSON

/// `jobserver watch`: follows one job until its end, or all jobs without end.
enum WatchAction {
    static let watch = Command(
        "watch", "[ID]", in: .jobs, "follow a job, or all jobs, live",
        usage: ["watch ID [FLAGS]", "watch [FLAGS]"],
        text: """
            Prints each event of a job as it happens, until the job ends; exits 0 when it has succeeded and 1
            otherwise. Without an id it prints each change of a job, until it is interrupted. When the server restarts
            it connects again and misses nothing of a job.
            """,
        flags: ServerAddress.flags + ListAction.filters + [Action.jsonFlag])

    private static let silenceMax = Duration.seconds(60)

    static func watch(_ action: Action) async throws(CommandFailure) -> Int32 {
        guard !action.given.words.isEmpty else { return try await all(action) }
        guard ListAction.filters.allSatisfy({ !action.given.has($0.name) }) else {
            throw action.usage("Filters are for all jobs: leave them out, or the id")
        }
        let id = try await action.jobID("Say which job: jobserver watch job_…")
        return try await follow(action, path: JobService.path(id) + "/events") {
            // The connection ended between the last event and the end.
            () async throws(CommandFailure) in
            try end(of: try await action.service.job(id), action)
        } _: { message throws(CommandFailure) in
            if message.event == "erased" {
                throw CommandFailure(code: .failure, text: "\(id) was erased.")
            }
            if !message.event.isEmpty, message.event != "end" { return nil }
            let json = try json(message)
            if message.event == "end" {
                return try end(of: JobFacts(json), action)
            }
            if message.event.isEmpty { try action.say(action.isJSON ? json.text : JobText.event(json)) }
            return nil
        }
    }

    /// The content of an event, however large.
    private static func json(_ message: StreamMessage) throws(CommandFailure) -> JSONValue {
        let bytes = Array(message.data.utf8)
        do throws(JSONParseError) { return try JSONParser.parse(bytes, limits: .written(bytes)) } catch {
            throw CommandFailure(
                code: .failure,
                text: "The server sent an event that is no JSON (\(error.detail)). Does a proxy change it?")
        }
    }

    /// Says how a job ended, and returns the exit code.
    private static func end(of job: JobFacts, _ action: Action) throws(CommandFailure) -> Int32 {
        try action.say(action.isJSON ? job.json.text : "\(job.id) \(job.state)")
        return action.code(for: job)
    }

    private static func all(_ action: Action) async throws(CommandFailure) -> Int32 {
        let filter = try ListAction.query(action).joined(separator: "&")
        let path = ServerPaths.events + (filter.isEmpty ? "" : "?" + filter)
        return try await follow(action, path: path) { () throws(CommandFailure) in
            0
        } _: { message throws(CommandFailure) in
            switch message.event {
            case "":
                let json = try json(message)
                let job = JobFacts(json)
                try action.say(action.isJSON ? json.text : "\(job.id) \(job.state) \(job.name)")
            case "reset": action.complain("Changes were missed: see jobserver list for where the jobs are.")
            default: break
            }
            return nil
        }
    }

    /// Reads a stream until `take` returns an exit code, and connects again when the stream ends before.
    /// - Parameter over: called when there is nothing more to read.
    private static func follow(
        _ action: Action, path: String, over: () async throws(CommandFailure) -> Int32,
        _ take: (StreamMessage) throws(CommandFailure) -> Int32?
    ) async throws(CommandFailure) -> Int32 {
        var last: String?
        while true {
            let (messages, continuation) = AsyncStream<StreamMessage>.makeStream()
            let reader = EventReader(continuation, after: last)
            let connection = action.service.connection
            let call = Task { () -> Result<ServerAnswer, CommandFailure> in
                defer { continuation.finish() }
                do throws(CommandFailure) {
                    let answer = try await connection.sendResuming {
                        var request = ServerRequest(path)
                        request.fields = [("Accept", "text/event-stream")]
                        if let last = reader.last { request.fields.append(("Last-Event-ID", last)) }
                        request.sink = reader
                        request.patience = silenceMax
                        return request
                    } arrived: {
                        reader.count
                    }
                    return .success(answer)
                } catch { return .failure(error) }
            }
            for await message in messages {
                if let code = try take(message) {
                    call.cancel()
                    return code
                }
            }
            let answer = try await call.value.get()
            last = reader.last
            guard answer.status != 200 else {
                try? await Task.sleep(for: .milliseconds(500))
                continue
            }
            guard answer.status != 204 else { return try await over() }
            throw ServerAnswer(status: answer.status, fields: answer.fields, body: reader.problem)
                .failure(action.service.address)
        }
    }
}
