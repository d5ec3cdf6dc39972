internal import Commands
internal import EventIO
internal import JobKit
internal import StrictJSON

/// A command in progress: its arguments and the server.
struct Action {
    let command: Command
    let given: Arguments
    let service: JobService

    static let jsonFlag = Flag(name: "json", help: "print JSON as the server sends it", hasVariable: false)
    static let timeoutFlag = Flag(
        name: "timeout", value: "TIME",
        help: "stop waiting after this time (30s, 5m) with exit code 11; the job continues",
        hasVariable: false)
    static let quietFlag = Flag(name: "quiet", help: "show no progress on the terminal", hasVariable: false)

    init(
        _ command: Command, _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) {
        self.command = command
        given = try Arguments(
            arguments, flags: command.flags, environment: environment, command: command.name)
        let address = try ServerAddress(given, command: command.name)
        service = JobService(try ServerConnection(address), last: LastJob(environment, url: address.url))
    }

    /// Whether the output is JSON.
    var isJSON: Bool { given.has("json") }

    var line: ProgressLine { ProgressLine(isQuiet: given.has("quiet")) }

    /// The only operand.
    /// - Parameters:
    ///   - what: the error when it is missing.
    ///   - noun: the thing that it names.
    func operand(_ what: String, _ noun: String = "file") throws(CommandFailure) -> String {
        guard let word = given.words.first else { throw usage(what) }
        guard given.words.count == 1 else { throw usage("One \(noun), not \(given.words.count)") }
        return word
    }

    /// The id of the job that the only operand names.
    func jobID(_ what: String) async throws(CommandFailure) -> String {
        try await service.id(of: try operand(what, "job"))
    }

    /// The ids of the jobs that the operands name, at least one.
    func jobIDs(_ what: String) async throws(CommandFailure) -> [String] {
        guard !given.words.isEmpty else { throw usage(what) }
        var ids: [String] = []
        for word in given.words { ids.append(try await service.id(of: word)) }
        return ids
    }

    func noOperands() throws(CommandFailure) {
        guard let word = given.words.first else { return }
        throw usage("\"\(word)\" is not expected here; flags begin with two dashes")
    }

    /// The value of a flag that takes a number.
    func number(_ name: String, in range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = given.value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw usage(
                "--\(name) \(text): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func usage(_ text: String) -> CommandFailure { .usage(text, command: command.name) }

    /// The time at which `--timeout` ends.
    func deadline() throws(CommandFailure) -> ContinuousClock.Instant? {
        guard let text = given.value("timeout") else { return nil }
        guard let time = try? DurationText.parse(Int64(text) == nil ? text : text + "s"), time >= .zero else {
            throw usage("--timeout \(text): expected a time such as 30s or 5m")
        }
        return ContinuousClock.now + time
    }

    /// The value of a flag that takes a time, or how long ago it was.
    func time(_ name: String) throws(CommandFailure) -> Timestamp? {
        guard let text = given.value(name) else { return nil }
        if let date = try? Timestamp.parse(text) { return date }
        if let time = try? DurationText.parse(text), time >= .zero {
            return SystemDate.now.advanced(by: .zero - time)
        }
        throw usage("--\(name) \(text): expected a time such as 2h, or 2027-01-01T00:00:00Z")
    }

    /// Writes a line to standard output.
    /// - Throws: `.failure` when the reader has gone, as `head` has after its last line.
    func say(_ text: String) throws(CommandFailure) {
        let shown = isJSON ? text : text.onTerminal
        guard DescriptorOutput.standardOutput.write(Array((shown + "\n").utf8)) else {
            throw CommandFailure(code: .failure, text: "The output cannot be written.")
        }
    }

    func complain(_ text: String) {
        DescriptorOutput.standardError.write(Array((text.onTerminal + "\n").utf8))
    }

    /// Waits for the end of a job.
    /// - Throws: `.unfinished` when it has not ended by `deadline`.
    func end(of id: String, by deadline: ContinuousClock.Instant?) async throws(CommandFailure) -> JobFacts {
        var line = line
        guard let job = try await service.end(of: id, by: deadline, showing: &line) else {
            throw CommandFailure(
                code: .unfinished, text: "\(id) has not ended yet. Wait for it: jobserver wait \(id)")
        }
        return job
    }

    /// The exit code for the end of a job, with the reason on standard error when it did not succeed.
    func code(for job: JobFacts) -> Int32 {
        guard !job.hasSucceeded else { return ExitCode.success.rawValue }
        complain("\(job.id) \(job.state)" + (JobFailure(job).map { ": \($0.text)" } ?? ""))
        return ExitCode.failure.rawValue
    }
}
