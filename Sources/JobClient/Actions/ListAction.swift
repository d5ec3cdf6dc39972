internal import Commands
internal import HTTPMessage
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
            name: "label", value: "KEY=VALUE", help: "only jobs with this label; repeatable",
            isRepeatable: true, hasVariable: false),
    ]

    static let list = Command(
        "list", "", in: .jobs, "list jobs, the newest first", usage: ["list [FLAGS]"],
        text:
            "Lists jobs, the newest first: id, state, type, name and time of creation. --json prints a job a line.",
        flags: ServerAddress.flags + filters + [
            Flag(
                name: "limit", value: "N", help: "at most so many, 1 to 100000; default 20",
                hasVariable: false),
            Action.jsonFlag,
        ], examples: ["jobserver list --state failed --label team=finance"])

    private static let pageMax = 200

    static func list(_ action: Action) async throws(CommandFailure) -> Int32 {
        if let word = action.given.words.first {
            throw action.usage("\"\(word)\" is not expected here; flags begin with two dashes")
        }
        let text = action.given.value("limit") ?? "20"
        guard var left = Int(text), (1...100_000).contains(left) else {
            throw action.usage("--limit \(text): expected a number from 1 to 100000")
        }
        let filter = try query(action)
        var token: String?
        repeat {
            let page = ["page_size=\(min(left, pageMax))"] + (token.map { ["page_token=\($0)"] } ?? [])
            let path = "/v1/jobs?" + (filter + page).joined(separator: "&")
            let answer = try await action.service.connection.read(ServerRequest(path))
            let json = try answer.json(action.service.address).object
            let items = json?["items"]?.array ?? []
            for item in items {
                try action.say(action.isJSON ? item.text : JobText.line(JobFacts(item)))
            }
            left -= items.count
            token = json?["next_page_token"]?.string
        } while left > 0 && token != nil
        return 0
    }

    /// The parameters of the filters.
    static func query(_ action: Action) throws(CommandFailure) -> [String] {
        var words: [String] = []
        func add(_ name: String, _ value: String) {
            words.append("\(name)=\(PercentCoding.encode(value, for: .queryPart))")
        }
        let states = action.given.all("state")
        if !states.isEmpty { add("state", states.joined(separator: ",")) }
        for (flag, name) in [
            ("queue", "queue"), ("queue-key", "queue_key"), ("type", "type"), ("name", "name"),
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
