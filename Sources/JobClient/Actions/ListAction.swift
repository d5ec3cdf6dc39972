internal import Commands
internal import EventIO
internal import JobKit
internal import StrictJSON

/// `jobserver list`.
enum ListAction {
    /// The filters, which are parameters of the list with the same names, but for `_` in place of `-`.
    static let filters: [Flag] = [
        Flag(
            name: "state", value: "STATE", help: "only jobs in this state; repeatable", isRepeatable: true,
            hasVariable: false),
        Flag(name: "queue", value: "NAME", help: "only jobs of this queue", hasVariable: false),
        Flag(
            name: "queue-key", value: "KEY", help: "only jobs with this key in their queue",
            hasVariable: false),
        Flag(name: "type", value: "TYPE", help: "only jobs of this type", hasVariable: false),
        Flag(name: "name", value: "NAME", help: "only jobs with this name", hasVariable: false),
        Flag(
            name: "host", value: "HOST", help: "only jobs that failed in a call to this host",
            hasVariable: false
        ),
        Flag(
            name: "url-prefix", value: "URL",
            help: "only jobs that failed in a call to a URL with this beginning",
            hasVariable: false),
        Flag(
            name: "method", value: "METHOD", help: "only jobs that failed in a call with this method",
            hasVariable: false),
        Flag(
            name: "status", value: "STATUS", help: "only jobs that failed with an answer of this status",
            hasVariable: false),
        Flag(
            name: "label", value: "KEY=VALUE", help: "only jobs with this label; repeatable",
            isRepeatable: true, hasVariable: false),
    ]

    static let list = Command(
        "list", "", in: .jobs, "list jobs, the newest first", usage: ["list [FLAGS]"],
        text: """
            Lists jobs, newest first: id, state, type, age, error code and name. When the output is not a terminal, times
            are written in full. --json prints one job per line, --ids only the ids, for xargs.
            """,
        flags: ServerAddress.flags + filters + [
            Flag(
                name: "failed", help: "only jobs that failed, as --state failed", hasVariable: false),
            Flag(
                name: "waiting-on", value: "KIND",
                help: "only jobs that wait for this, such as callback, signal or approval",
                hasVariable: false),
            Flag(
                name: "since", value: "TIME",
                help: "only jobs made since then: 30m, 2h or 7d ago, or 2027-01-01T00:00:00Z",
                hasVariable: false),
            Flag(
                name: "sort", value: "created|finished",
                help: "by the time of creation or of the end, the latest first; default created",
                hasVariable: false),
            Flag(
                name: "limit", value: "N", help: "at most this many, 1 to 100000; default 20",
                hasVariable: false),
            Flag(name: "ids", help: "print the ids alone", hasVariable: false),
            Action.jsonFlag,
        ],
        examples: [
            "jobserver list --state failed --label team=finance",
            "jobserver list --failed --since 2h --ids | xargs jobserver retry",
        ])

    private static let pageMax = 200

    static func list(_ action: Action) async throws(CommandFailure) -> Int32 {
        try action.noOperands()
        let limit = try action.number("limit", in: 1...100_000) ?? 20
        let filter = try query(action) + ownQuery(action)
        let isTable = !action.isJSON && !action.given.has("ids")
        let now = DescriptorOutput.standardOutput.isTerminal ? SystemDate.now : nil
        var isEmpty = true
        try await action.service.connection.readItems(
            ServerPaths.jobs, filter, limit: limit, pageMax: pageMax
        ) {
            item throws(CommandFailure) in
            let job = JobFacts(item)
            if isTable, isEmpty { try action.say(JobText.head) }
            isEmpty = false
            try action.say(action.isJSON ? item.text : isTable ? JobText.line(job, now: now) : job.id)
        }
        if isTable, isEmpty { action.complain(filter.isEmpty ? "There are no jobs." : "No job matches.") }
        return 0
    }

    /// The parameters of the flags that only the list has.
    private static func ownQuery(_ action: Action) throws(CommandFailure) -> [String] {
        var words: [String] = []
        if action.given.has("failed") {
            guard !action.given.has("state") else { throw action.usage("--failed is a --state: give one") }
            words.append(ServerPaths.parameter("state", "failed"))
        }
        if let kind = action.given.value("waiting-on") {
            words.append(ServerPaths.parameter("waiting_on.kind", kind))
        }
        if let since = try action.time("since") {
            words.append(ServerPaths.parameter(ServerPaths.Parameter.createdFrom, since.description))
        }
        let sort = try action.given.word("sort", of: ["created", "finished"], command: action.command.name)
        if sort == "finished" {
            words.append(ServerPaths.parameter(ServerPaths.Parameter.order, "-finished_at"))
        }
        return words
    }

    /// The parameters of the filters.
    static func query(_ action: Action) throws(CommandFailure) -> [String] {
        var words: [String] = []
        func add(_ name: String, _ value: String) { words.append(ServerPaths.parameter(name, value)) }
        let states = action.given.all("state")
        if !states.isEmpty { add("state", states.joined(separator: ",")) }
        for (flag, name) in [
            ("queue", "queue"), ("queue-key", "queue_key"), ("type", "type"), ("name", "name"),
            ("host", "host"), ("url-prefix", "url_prefix"), ("method", "method"), ("status", "status"),
        ] {
            if let value = action.given.value(flag) { add(name, value) }
        }
        for label in action.given.all("label") {
            guard let equals = label.utf8.firstIndex(of: UInt8(ascii: "=")), equals > label.startIndex else {
                throw action.usage("--label \(label): expected KEY=VALUE")
            }
            add("label." + label[..<equals], String(label[label.utf8.index(after: equals)...]))
        }
        return words
    }
}
