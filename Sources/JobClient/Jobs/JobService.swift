internal import Commands
internal import EventIO
internal import StrictJSON

/// The requests about jobs.
struct JobService: Sendable {
    let connection: ServerConnection
    /// The last job of this user; nil where that is not kept.
    let last: LastJob?

    private static let waitSeconds = 30
    /// The shortest time between two waits. A server that stops, or has too many waits, answers at once.
    private static let waitEvery = Duration.seconds(1)

    init(_ connection: ServerConnection, last: LastJob? = nil) {
        self.connection = connection
        self.last = last
    }

    var address: ServerAddress { connection.address }

    /// Submits a spec or a script of curl lines, and returns the answer, with any status. A repeated submission with
    /// the same key makes no second job.
    func answer(
        _ content: [UInt8], isScript: Bool = false, key: String?
    ) async throws(CommandFailure) -> ServerAnswer {
        var request = ServerRequest(
            post: ServerPaths.jobs, content, type: isScript ? "text/x-shellscript" : "application/json",
            isRepeatable: true)
        request.fields.append(("Idempotency-Key", key ?? Self.randomKey()))
        return try await connection.send(request)
    }

    /// Submits a JSON array of specs, and returns the answer, with any status.
    func answer(toBatch specs: [UInt8], key: String) async throws(CommandFailure) -> ServerAnswer {
        var request = ServerRequest(post: "/v1/jobs:batch", specs, isRepeatable: true)
        request.fields.append(("Idempotency-Key", key))
        request.patience = .seconds(120)
        return try await connection.send(request)
    }

    /// Submits a spec or a script, and returns the job.
    /// - Parameters:
    ///   - input: the source, which knows the lines of problems.
    ///   - content: the same with the ids of uploads.
    /// - Throws: `.failure` with each problem and its line.
    func submit(
        _ input: SpecInput, _ content: [UInt8], key: String?
    ) async throws(CommandFailure) -> JobFacts {
        let answer = try await answer(content, isScript: input.isScript, key: key)
        guard answer.isSuccess else {
            throw answer.failure(address) { pointer in
                input.isScript ? nil : "\(input.name):\(input.line(of: pointer))"
            }
        }
        return JobFacts(try answer.json(address))
    }

    /// Uploads a file, and returns the upload.
    func upload(_ path: String, type: String?) async throws(CommandFailure) -> JobFacts {
        guard let source = FileSource(path) else { throw SpecInput.unreadable(path) }
        var request = ServerRequest("/v1/artifacts")
        request.method = "POST"
        request.source = source
        request.fields = [("Content-Type", type ?? "application/octet-stream")]
        // What a lost answer stored expires by itself.
        request.patience = .seconds(86_400)
        return JobFacts(try await connection.read(request).json(address))
    }

    func job(_ id: String) async throws(CommandFailure) -> JobFacts {
        JobFacts(try await connection.read(ServerRequest(Self.path(id))).json(address))
    }

    /// Waits for the end of a job. Nil when it has not ended by `deadline`.
    func end(
        of id: String, by deadline: ContinuousClock.Instant?, showing line: inout ProgressLine
    ) async throws(CommandFailure) -> JobFacts? {
        while true {
            let began = ContinuousClock.now
            let left = deadline.map { began.duration(to: $0) }
            let longest = line.isWatched ? 1 : Self.waitSeconds
            let seconds = left.map { min(longest, max(1, Int($0.components.seconds) + 1)) } ?? longest
            var request = ServerRequest(Self.path(id))
            request.fields = [("Prefer", "wait=\(seconds)")]
            request.patience = .seconds(seconds + 30)
            request.giveUpAt = deadline
            let answer: ServerAnswer
            do throws(CommandFailure) { answer = try await connection.send(request) } catch {
                guard let deadline, ContinuousClock.now >= deadline, error.code == .unreachable else {
                    throw error
                }
                line.clear()
                return nil
            }
            if let pause = answer.pause, let deadline, ContinuousClock.now + pause >= deadline {
                // No further try fits before the deadline.
                try? await Task.sleep(for: max(Duration.zero, ContinuousClock.now.duration(to: deadline)))
                line.clear()
                return nil
            }
            guard answer.isSuccess else { throw answer.failure(address) }
            let job = JobFacts(try answer.json(address))
            if job.isDone {
                line.clear()
                return job
            }
            line.show(job)
            let again = began + Self.waitEvery
            try? await Task.sleep(until: deadline.map { min($0, again) } ?? again)
            if let deadline, ContinuousClock.now >= deadline {
                line.clear()
                return nil
            }
        }
    }

    /// Writes the result of a job, or of one of its operations.
    /// - Parameter open: opens the output, once there is a result; nil when it cannot be written.
    /// - Returns: the output, which is open.
    @discardableResult
    func writeResult(
        of id: String, operation: String? = nil, to open: @escaping @Sendable () -> DescriptorOutput?
    ) async throws(CommandFailure) -> DescriptorOutput? {
        let sink = ResultSink(open)
        let place = operation.map { ServerPaths.operation($0, of: id) } ?? Self.path(id)
        var request = ServerRequest(place + "/result")
        request.sink = sink
        let answer = try await connection.sendResuming {
            request.fields = sink.missing
            return request
        } arrived: {
            sink.byteCount
        }
        guard answer.status == 200 || answer.status == 206 else {
            throw await noResult(of: id, answer, sink.problem)
        }
        return sink.output
    }

    /// Writes a result as it arrives, until its end. A broken connection is resumed.
    /// - Parameter open: opens the output; called once, when there is content or an end.
    func followResult(
        of id: String, operation: String? = nil, to open: () -> DescriptorOutput?
    ) async throws(CommandFailure) -> DescriptorOutput? {
        let place = operation.map { ServerPaths.operation($0, of: id) } ?? Self.path(id)
        var (offset, output) = ("-1", DescriptorOutput?.none)
        while true {
            var request = ServerRequest("\(place)/result?offset=\(offset)&live=long-poll")
            request.patience = .seconds(60)
            let answer = try await connection.send(request)
            guard answer.isSuccess else { throw await noResult(of: id, answer, answer.body) }
            if output == nil { output = open() }
            guard answer.body.isEmpty || output?.write(answer.body) == true else {
                throw CommandFailure(code: .failure, text: "The output cannot be written.")
            }
            if answer.field("stream-closed") != nil { return output }
            offset = answer.field("stream-next-offset") ?? offset
        }
    }

    /// The code of a problem: the job has ended without a result.
    private static let noResultCode = "job.no_result"

    /// The reason why there is no result: the job has not ended, or its error.
    private func noResult(of id: String, _ answer: ServerAnswer, _ content: [UInt8]) async -> CommandFailure {
        let answered = ServerAnswer(status: answer.status, fields: answer.fields, body: content)
        if answer.status == 202, let json = try? JSONParser.parse(content) {
            let job = JobFacts(json)
            return CommandFailure(
                code: .unfinished, text: "The job is \(job.state). Wait for it: jobserver wait \(job.id)")
        }
        let problem = (try? JSONParser.parse(content)).map { JobFacts($0) }
        guard problem?.at("/code")?.string == Self.noResultCode, let job = try? await job(id),
            let failure = JobFailure(job)
        else {
            return answered.failure(address)
        }
        return CommandFailure(
            code: .failure, text: "\(job.id) \(job.state) and has no result: \(failure.text)".onTerminal)
    }

    /// The last attempt of a job of one call, an item of their list; nil when there is none.
    func lastAttempt(of id: String) async throws(CommandFailure) -> JobFacts? {
        let answer = try await connection.send(
            ServerRequest(
                "\(Self.path(id))/attempts?\(ServerPaths.parameter(ServerPaths.Parameter.pageSize, "500"))"))
        guard answer.isSuccess else { return nil }
        return try answer.json(address).object?["items"]?.array?.last.map { JobFacts($0) }
    }

    /// Sends a command to a job: `cancel`, `retry`.
    func command(
        _ name: String, _ id: String, _ body: JSONObject = JSONObject(), isRepeatable: Bool
    ) async throws(CommandFailure) -> JobFacts {
        let content = body.isEmpty ? [] : JSONValue.object(body).encoded()
        let request = ServerRequest(post: "\(Self.path(id)):\(name)", content, isRepeatable: isRepeatable)
        return JobFacts(try await connection.read(request).json(address))
    }

    static func path(_ id: String) -> String { ServerPaths.job(id) }

    static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        let words = (0..<2).map { _ in String(generator.next(), radix: 36) }
        return "cli-" + words.joined()
    }
}
