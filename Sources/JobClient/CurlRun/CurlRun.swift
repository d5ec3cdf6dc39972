internal import Commands
internal import CurlHTTP
internal import EventIO
internal import FoundationEssentials
internal import JobSpec
internal import StrictJSON

/// `jobserver run -- curl …`: runs the line as a job, writes what curl would write, and ends with its exit code.
struct CurlRun {
    /// curl's exit code for a command line that it does not understand.
    private static let usageCode: Int32 = 2

    private let action: Action
    private let invocation: CurlInvocation
    private var output: CurlOutput { invocation.output }

    /// Runs a line.
    /// - Returns: the exit code of curl.
    static func run(_ action: Action, _ words: [String]) async throws(CommandFailure) -> Int32 {
        let invocation: CurlInvocation
        do throws(CurlInvocation.Refusal) {
            invocation = try CurlInvocation(
                words, userAgent: "curl/\(LibcurlVersion.text)", size: { FileSource.byteCount(of: $0) },
                read: { SpecInput.content($0, bytesMax: SpecInput.bytesMax) })
        } catch {
            for detail in error.details { action.complain("curl: \(detail)") }
            return usageCode
        }
        return try await CurlRun(action: action, invocation: invocation).run()
    }

    private func run() async throws(CommandFailure) -> Int32 {
        if output.file == "" {
            report(CurlOutcome.writeCode, "The URL has no file name for -O.")
            return CurlOutcome.writeCode
        }
        let deadline = try action.deadline()
        var ids: [String] = []
        for upload in invocation.uploads {
            ids.append(try await action.service.upload(upload.path, type: nil).id)
        }
        let answer = try await action.service.answer(
            invocation.spec(uploads: ids).encoded(), key: action.given.value("idempotency-key"))
        guard answer.isSuccess else {
            if answer.status == 422 || answer.status == 400 { return refused(answer) }
            throw answer.failure(action.service.address)
        }
        let made = JobFacts(try answer.json(action.service.address))
        action.service.remember(made)
        let line = action.line
        if line.isWatched {
            for remark in invocation.remarks { action.complain("curl: \(remark)") }
            action.complain("\(made.id): Ctrl-C leaves it running")
        }
        let job = try await action.end(of: made.id, by: deadline)
        if action.isJSON { try action.say(job.json.text) }
        return try await show(job)
    }

    /// The server does not take the job: a URL that curl would not take either, or an option.
    private func refused(_ answer: ServerAnswer) -> Int32 {
        let problem = JobFacts((try? JSONParser.parse(answer.body)) ?? .null)
        let items = problem.at("/errors")?.array ?? []
        let isURL = items.contains { $0.object?["pointer"]?.string?.hasPrefix("/request/url") == true }
        let known = items.lazy.compactMap { CurlOutcome.code(of: $0.object?["code"]?.string ?? "") }.first
        let code = known ?? (isURL ? CurlOutcome.urlCode : Self.usageCode)
        for item in items { report(code, item.object?["detail"]?.string ?? "") }
        if items.isEmpty { report(code, problem.at("/detail")?.string ?? "The server takes no such job.") }
        return code
    }

    private func show(_ job: JobFacts) async throws(CommandFailure) -> Int32 {
        var outcome = CurlOutcome(job)
        if outcome.status >= 400, outcome.code == 0, output.failure != .ignored {
            outcome.code = CurlOutcome.failCode
            outcome.message = "The requested URL returned error: \(outcome.status)"
        }
        if outcome.code != 0 { report(outcome.code, outcome.message) }
        guard !action.isJSON else { return outcome.code }
        let file = output.file.map { path in output.folder.map { "\($0)/\(path)" } ?? path }
        let report = CurlReport(
            outcome: outcome, attempt: try await attempt(of: job), url: invocation.url,
            method: invocation.method,
            file: file)
        let showsContent =
            outcome.code == 0 || outcome.code == CurlOutcome.failCode && output.failure == .failsWithBody
        let isWritten =
            if showsContent { try await write(job, outcome, report, to: file) } else { true }
        if !isWritten { outcome.code = CurlOutcome.writeCode }
        if let format = output.format {
            let (text, unknown) = report.text(format)
            for name in unknown { action.complain("curl: unknown --write-out variable: '\(name)'") }
            DescriptorOutput.standardOutput.write(Array(text.utf8))
        }
        return outcome.code
    }

    /// Writes head and content.
    /// - Returns: whether that was possible.
    private func write(
        _ job: JobFacts, _ outcome: CurlOutcome, _ report: CurlReport, to path: String?
    ) async throws(CommandFailure) -> Bool {
        var target = DescriptorOutput.standardOutput
        if let path {
            if output.createsFolders, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
                try? FileManager.default.createDirectory(
                    atPath: String(path[..<slash]), withIntermediateDirectories: true)
            }
            guard let file = DescriptorOutput.create(path) else {
                self.report(CurlOutcome.writeCode, "\(path) cannot be written.")
                return false
            }
            target = file
        }
        defer { if path != nil { target.close() } }
        let head = Array(report.head.utf8)
        if let headFile = output.headFile, headFile != "-" {
            guard let file = DescriptorOutput.create(headFile), file.write(head), file.close() else {
                self.report(CurlOutcome.writeCode, "\(headFile) cannot be written.")
                return false
            }
        } else if output.headFile != nil {
            DescriptorOutput.standardOutput.write(head)
        }
        if output.includesHead { target.write(head) }
        guard outcome.hasResult else { return target.write(Array(outcome.excerpt.utf8)) }
        guard (job.number("/result/bytes") ?? 0) > 0 else { return true }
        try await action.service.writeResult(of: job.id) { [target] in target }
        return true
    }

    /// The last attempt, when something of it is shown.
    private func attempt(of job: JobFacts) async throws(CommandFailure) -> JobFacts {
        guard output.format != nil || output.includesHead || output.headFile != nil,
            let number = job.number("/attempt"), number > 0
        else { return JobFacts(.null) }
        return try await action.service.lastAttempt(of: job.id) ?? JobFacts(.null)
    }

    /// The message of curl for an error, unless `-s` asks for none.
    private func report(_ code: Int32, _ message: String) {
        if !output.isSilent || output.showsErrors { action.complain("curl: (\(code)) \(message)") }
    }
}
