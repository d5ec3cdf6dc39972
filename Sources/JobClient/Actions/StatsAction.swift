internal import Commands
internal import EventIO
internal import JobKit
internal import StrictJSON

/// `jobserver stats` and `jobserver failures`.
enum StatsAction {
    private static let sinceFlag = Flag(
        name: "since", value: "TIME",
        help: "since then: 30m, 2h or 7d ago, or 2027-01-01T00:00:00Z; default an hour ago",
        hasVariable: false)
    private static let untilFlag = Flag(
        name: "until", value: "TIME", help: "up to then, in the same forms; default now", hasVariable: false)
    private static let stepFlag = Flag(
        name: "step", value: "minute|hour|day", help: "the step of time; default by the span",
        hasVariable: false)
    private static let limitFlag = Flag(
        name: "limit", value: "N", help: "at most this many groups", hasVariable: false)

    static let stats = Command(
        "stats", "", in: .jobs, "count ended jobs over time", usage: ["stats [FLAGS]"],
        text: """
            Counts the jobs that ended, in groups, with a chart of each group over time, and the times that jobs waited to
            start and took: median, 95 and 99 of 100. --json prints the answer of the server.
            """,
        flags: ServerAddress.flags + [
            Flag(
                name: "by", value: "state|code|host|queue|name", help: "group by this; default state",
                hasVariable: false), sinceFlag, untilFlag, stepFlag, limitFlag, Action.jsonFlag,
        ],
        examples: ["jobserver stats --since 24h", "jobserver stats --by host --since 7d"])

    static let failures = Command(
        "failures", "", in: .jobs, "list what fails, in groups", usage: ["failures [FLAGS]"],
        text: """
            Lists jobs that failed or expired, in groups of the same error code, upstream and name: how many, a chart over
            time, what the upstream said last, and the newest job. --json prints the answer of the server, with the bulk
            action that retries each group.
            """,
        flags: ServerAddress.flags + [
            Flag(name: "code", value: "CODE", help: "only this error code", hasVariable: false),
            Flag(name: "host", value: "HOST", help: "only this upstream", hasVariable: false),
            Flag(name: "name", value: "NAME", help: "only jobs with this name", hasVariable: false),
            sinceFlag, untilFlag, stepFlag, limitFlag, Action.jsonFlag,
        ],
        examples: [
            "jobserver failures --since 2h",
            "jobserver list --failed --host api.example.com --since 2h --ids | xargs jobserver retry",
        ])

    static func stats(_ action: Action) async throws(CommandFailure) -> Int32 {
        let json = try await read("/v1/stats", ["by"], action)
        if action.isJSON {
            try action.say(json.text)
            return 0
        }
        let facts = JobFacts(json)
        let groups = (facts.at("/groups")?.array ?? []) + [facts.at("/other")].compactMap(\.self)
        let rows = groups.map { group in
            let group = JobFacts(group)
            return [
                (group.at("/value")?.string ?? "others").onOneLine, number(group, "/count"),
                number(group, "/failed"), time(group, "/duration_ms/p50"), time(group, "/duration_ms/p95"),
                time(group, "/duration_ms/p99"), chart(group.at("/counts")),
            ]
        }
        let by = (facts.at("/by")?.string ?? "").uppercased()
        for line in table([[by, "ENDED", "FAILED", "MEDIAN", "P95", "P99", "OVER TIME"]] + rows) {
            try action.say(line)
        }
        let waits = ["/total/start_delay_ms/p50", "/total/start_delay_ms/p95"].map { time(facts, $0) }
        let ends = Counted.text(facts.number("/total/count") ?? 0, "end")
        try action.say("\(ends); start delay \(waits[0]), p95 \(waits[1])")
        return 0
    }

    static func failures(_ action: Action) async throws(CommandFailure) -> Int32 {
        let json = try await read("/v1/failures", ["code", "host", "name"], action)
        if action.isJSON {
            try action.say(json.text)
            return 0
        }
        let now = DescriptorOutput.standardOutput.isTerminal ? SystemDate.now : nil
        let groups = (JobFacts(json).at("/groups")?.array ?? []).map { JobFacts($0) }
        let rows = groups.map { group in
            let newest = group.at("/newest/message")?.string ?? group.at("/newest/title")?.string ?? "-"
            return [
                number(group, "/count"), group.at("/code")?.string ?? "-", group.at("/host")?.string ?? "-",
                (group.at("/name")?.string ?? "-").onOneLine, chart(group.at("/counts")),
                AgeText.shown(group.at("/last_at")?.string ?? "-", now: now),
                group.at("/jobs")?.array?.first?.string ?? "-", newest.onOneLine,
            ]
        }
        guard !rows.isEmpty else {
            action.complain("Nothing failed in that time.")
            return 0
        }
        let head = ["FAILED", "CODE", "HOST", "NAME", "OVER TIME", "LAST", "NEWEST JOB", "MESSAGE"]
        for line in table([head] + rows) { try action.say(line) }
        return 0
    }

    private static func read(
        _ path: String, _ filters: [String], _ action: Action
    ) async throws(CommandFailure) -> JSONValue {
        try action.noOperands()
        var query: [String] = []
        for name in filters + [stepFlag.name, limitFlag.name] {
            if let value = action.given.value(name) { query.append(ServerPaths.parameter(name, value)) }
        }
        for (flag, name) in [(sinceFlag, "from"), (untilFlag, "to")] {
            if let time = try action.time(flag.name) {
                query.append(ServerPaths.parameter(name, time.description))
            }
        }
        let whole = query.isEmpty ? path : "\(path)?" + query.joined(separator: "&")
        return try await action.service.connection.read(ServerRequest(whole)).json(action.service.address)
    }

    // MARK: Text

    private static func number(_ facts: JobFacts, _ pointer: String) -> String {
        "\(facts.number(pointer) ?? 0)"
    }

    private static func time(_ facts: JobFacts, _ pointer: String) -> String {
        guard let time = facts.number(pointer) else { return "-" }
        return switch time {
        case ..<1_000: "\(time)ms"
        case ..<60_000: "\(time / 1_000).\(time % 1_000 / 100)s"
        case ..<3_600_000: "\(time / 60_000)m\(time % 60_000 / 1_000)s"
        default: "\(time / 3_600_000)h\(time % 3_600_000 / 60_000)m"
        }
    }

    /// The characters of a chart, from nothing to the highest value.
    private static let bars = Array(" ▁▂▃▄▅▆▇█").map { String($0) }
    private static let chartWidth = 30

    /// Numbers over time as one line; several together where there are many.
    static func chart(_ numbers: [Int]) -> String {
        let width = max(1, (numbers.count + chartWidth - 1) / chartWidth)
        let sums = stride(from: 0, to: numbers.count, by: width).map { start in
            numbers[start..<min(start + width, numbers.count)].reduce(0, +)
        }
        guard let most = sums.max(), most > 0 else { return sums.map { _ in bars[0] }.joined() }
        return sums.map { sum in
            sum == 0 ? bars[0] : bars[max(1, (sum * (bars.count - 1) + most - 1) / most)]
        }.joined()
    }

    private static func chart(_ value: JSONValue?) -> String {
        chart((value?.array ?? []).map { $0.number?.int ?? 0 })
    }

    /// Rows with their columns below each other.
    private static func table(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { place in rows.map { $0[place].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).dropLast().map { text, width in
                text + String(repeating: " ", count: width - text.count + 2)
            }.joined() + (row.last ?? "")
        }
    }
}
