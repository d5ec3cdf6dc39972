internal import Commands
internal import EventIO
internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// A command of the table in progress.
struct ResourceAction {
    let action: Action
    private let verb: ResourceVerb
    /// The operands after the word of the verb.
    let words: [String]
    /// The time from which ages count; nil where times are written out.
    let now = DescriptorOutput.standardOutput.isTerminal ? SystemDate.now : nil

    static func run(_ resource: ResourceCommand, _ action: Action) async throws(CommandFailure) -> Int32 {
        var words = action.given.words
        var verb = resource.verbs.first { $0.name.isEmpty }
        if verb == nil {
            let known = resource.verbs.map(\.name)
            guard let word = words.first else {
                throw action.usage("Say what to do: \(known.joined(separator: ", "))")
            }
            verb = resource.verbs.first { $0.name == word }
            if verb == nil {
                let near =
                    SpellingSuggestion.nearest(to: word, in: known).map { " Did you mean \($0)?" } ?? ""
                throw action.usage(
                    "\(resource.command.name) has no \"\(word)\", only \(known.joined(separator: ", ")).\(near)"
                )
            }
            words.removeFirst()
        }
        guard let verb else { return ExitCode.usage.rawValue }
        for flag in resource.verbs.flatMap(\.inputs).map(\.flag) where action.given.has(flag.name) {
            guard verb.inputs.contains(where: { $0.flag.name == flag.name }) else {
                throw action.usage("--\(flag.name) is not for \(verb.name)")
            }
        }
        return try await ResourceAction(action: action, verb: verb, words: words).run()
    }

    private init(action: Action, verb: ResourceVerb, words: [String]) {
        (self.action, self.verb, self.words) = (action, verb, words)
    }

    private func run() async throws(CommandFailure) -> Int32 {
        if case .list(let columns, let isPaged) = verb.output { return try await list(columns, isPaged) }
        if case .replay = verb.content { return try await replay() }
        guard verb.isForEach else {
            try await perform(words)
            return 0
        }
        guard !words.isEmpty else { throw usage }
        for word in words { try await perform([word]) }
        return 0
    }

    /// The value of a flag with a default that takes all.
    private static let everything = "all"

    var usage: CommandFailure {
        let words = ["jobserver", action.command.name, verb.name, verb.operands].filter { !$0.isEmpty }
        return action.usage("Expected: " + words.joined(separator: " "))
    }

    /// The path with the operands, and with the parameters that flags set.
    func path(_ words: [String], _ more: [String] = []) throws(CommandFailure) -> String {
        guard words.count >= verb.placesCount else { throw usage }
        var names = words[...]
        var path = ""
        for (index, part) in verb.path.utf8.split(
            separator: UInt8(ascii: "{"), omittingEmptySubsequences: false
        ).enumerated() {
            path +=
                index == 0
                ? String(Substring(part))
                : PercentCoding.encode(names.removeFirst()) + String(Substring(part.dropFirst()))
        }
        var query = more
        for input in verb.inputs {
            guard case .query = input.place else { continue }
            let value = action.given.value(input.flag.name) ?? input.standard
            if let value, input.standard == nil || value != Self.everything {
                query.append(ServerPaths.parameter(input.name, value))
            }
        }
        return query.isEmpty ? path : "\(path)?" + query.joined(separator: "&")
    }

    private func list(_ columns: [String], _ isPaged: Bool) async throws(CommandFailure) -> Int32 {
        guard words.count == verb.placesCount else { throw usage }
        var words = words
        if verb.isOfJob { words[0] = try await action.service.id(of: words[0]) }
        let limit = try action.number(ResourceCommand.limitFlag.name, in: 1...100_000) ?? 100
        var items: [JSONValue] = []
        if isPaged {
            let path = try path(words)
            try await action.service.connection.readItems(path, limit: limit) { item throws(CommandFailure) in
                if action.isJSON { try action.say(item.text) } else { items.append(item) }
            }
        } else {
            let answer = try await action.service.connection.read(ServerRequest(path(words)))
            let json = try answer.json(action.service.address)
            if action.isJSON { try action.say(json.text) } else { items = json.object?["items"]?.array ?? [] }
        }
        guard !action.isJSON else { return 0 }
        guard !items.isEmpty else {
            action.complain(
                try path(words).utf8.contains(UInt8(ascii: "?")) ? "Nothing matches." : "There are none.")
            return 0
        }
        for line in ObjectText.table(items, columns: columns, now: now) { try action.say(line) }
        return 0
    }

    /// Makes the request of one set of operands, and shows the answer.
    private func perform(_ given: [String]) async throws(CommandFailure) {
        var words = given
        if verb.isOfJob, let first = words.first { words[0] = try await action.service.id(of: first) }
        let asks = action.given.has("dry-run") ? [ServerPaths.parameter("validate_only", "true")] : []
        var request = ServerRequest(try path(words, asks))
        request.method = verb.method
        request.isRepeatable = verb.method != "POST"
        try await fill(&request, Array(words.dropFirst(verb.placesCount)), words)
        let answer = try await action.service.connection.read(request)
        if case .done(let word) = verb.output {
            if !action.isJSON { try action.say("\(words[0]) \(word)") }
            return
        }
        let json = try answer.json(action.service.address)
        let facts = JobFacts(json)
        if !asks.isEmpty, !action.isJSON {
            try action.say(
                "Matches \(Counted.text(facts.number("/count") ?? 0, "job")). Nothing was changed.")
            return
        }
        switch verb.output {
        case .job where !action.isJSON: try action.say("\(facts.id) \(facts.state)")
        case .object where !action.isJSON: try action.say(ObjectText.text(json, now: now))
        default: try action.say(json.text)
        }
        if case .templateUse = verb.content { action.service.remember(facts) }
    }

    /// Sets the content.
    /// - Parameter rest: the operands that are not in the path.
    private func fill(
        _ request: inout ServerRequest, _ rest: [String], _ words: [String]
    ) async throws(CommandFailure) {
        switch verb.content {
        case .members:
            guard rest.isEmpty else { throw usage }
            let members = try members()
            if !members.isEmpty { set(.object(members), &request) }
        // See `replay()`.
        case .replay: break
        case .assignments: set(.object(try Assignments(rest, action).applied(to: JSONObject())), &request)
        case .settings: try await settings(rest, &request)
        case .secret:
            guard rest.count <= 1 else { throw usage }
            set(
                .object(try SecretInput.content(rest.first ?? "-", isExact: action.given.has("exact"))),
                &request)
        case .payload:
            guard rest.count <= 1, rest.isEmpty || !action.given.has("data") else { throw usage }
            if let file = rest.first { set(try SpecInput(file).bytes, &request) }
            if let value = try members().members.first?.value { set(value, &request) }
        case .bulk:
            guard let word = words.first, words.count == 1 else { throw usage }
            set(.object(try bulk(word)), &request)
        case .templateUse:
            guard let name = words.first else { throw usage }
            let values = try Assignments(words.dropFirst(), action).applied(to: JSONObject())
            set(RowForm.use(of: name, JSONValue.object(values).encoded()), &request)
            request.fields.append(("Idempotency-Key", JobService.randomKey()))
            request.isRepeatable = true
        }
    }

    /// The whole settings: those of a file, or those that are stored with some changed.
    private func settings(
        _ rest: [String], _ request: inout ServerRequest
    ) async throws(CommandFailure) {
        guard let first = rest.first else { throw usage }
        guard first.utf8.contains(UInt8(ascii: "=")) else {
            guard rest.count == 1 else { throw usage }
            set(try SpecInput(first).bytes, &request)
            return
        }
        let changes = try Assignments(rest, action)
        let answer = try await action.service.connection.send(ServerRequest(request.path))
        guard answer.isSuccess || answer.status == 404 else { throw answer.failure(action.service.address) }
        var stored = JSONObject()
        if answer.isSuccess {
            stored = try answer.json(action.service.address).object?["spec"]?.object ?? JSONObject()
            if let tag = answer.field("etag") { request.fields.append(("If-Match", tag)) }
        }
        set(.object(changes.applied(to: stored)), &request)
    }

    /// The members that flags set.
    private func members() throws(CommandFailure) -> JSONObject {
        var object = JSONObject()
        for input in verb.inputs {
            guard let text = action.given.value(input.flag.name) else { continue }
            switch input.place {
            case .query: break
            case .member: object[input.name] = .string(text)
            case .json: object[input.name] = Assignments.value(text)
            case .number:
                guard let number = JSONNumber(text: text) else {
                    throw action.usage("--\(input.flag.name) \(text): expected a number")
                }
                object[input.name] = .number(number)
            }
        }
        return object
    }

    /// An action on the jobs that the filters find.
    private func bulk(_ word: String) throws(CommandFailure) -> JSONObject {
        var filter = JSONObject()
        let states = action.given.all("state")
        if !states.isEmpty { filter["state"] = .array(states.map { .string($0) }) }
        for name in ["queue", "type", "name"] {
            if let value = action.given.value(name) { filter[name] = .string(value) }
        }
        let labels = try Assignments(action.given.all("label"), action).texts
        if !labels.isEmpty { filter["labels"] = .object(labels) }
        guard !filter.isEmpty else {
            throw action.usage("Say which jobs: --state, --queue, --type, --name or --label")
        }
        var content = try members()
        content["action"] = .string(word)
        content["filter"] = .object(filter)
        return content
    }

    func set(_ value: JSONValue, _ request: inout ServerRequest) { set(value.encoded(), &request) }

    private func set(_ bytes: [UInt8], _ request: inout ServerRequest) {
        request.body = bytes
        request.fields.append(("Content-Type", "application/json"))
    }
}
