import Foundation
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing

/// The schema of a job spec and the reader of job specs know the same members.
@Suite struct `The schema of a job spec` {
    private func problems(_ text: String) -> [SpecProblem] {
        switch JobSpecReader.read(Array(text.utf8), now: Timestamp(milliseconds: 1_800_000_000_000)) {
        case .success: []
        case .failure(let problems): problems.list
        }
    }

    @Test func `has examples that can be run`() async throws {
        let post = try await APIDescription.load().document.object?["paths"]?.object?["/v1/jobs"]?.object?[
            "post"]
        let content = post?.object?["requestBody"]?.object?["content"]?.object?["application/json"]
        let examples = content?.object?["examples"]?.object?.members ?? []
        #expect(examples.count >= 4)
        for example in examples {
            let value = try #require(example.value.object?["value"])
            let found = problems(String(decoding: value.encoded(), as: UTF8.self))
            #expect(found == [], "\(example.name)")
        }
    }

    /// A schema, and a spec with `MEMBER` where a member of that schema is permitted.
    @Test(arguments: [
        ("JobMembers", #"{"type": "delay", "for": "1s", MEMBER}"#),
        ("Callback", #"{"type": "delay", "for": "1s", "callbacks": [{MEMBER}]}"#),
        ("OperationMembers", #"{"type": "delay", "for": "1s", MEMBER}"#),
        ("NetworkOperation", #"{"type": "network", MEMBER}"#),
        ("DownloadOperation", #"{"type": "download", MEMBER}"#),
        ("Target", #"{"type": "network", "request": "http://a.example", "save": {MEMBER}}"#),
        ("Verification", #"{"type": "download", "request": "http://a.example", "verify": {MEMBER}}"#),
        ("DelayOperation", #"{"type": "delay", MEMBER}"#),
        ("AwaitOperation", #"{"type": "await", MEMBER}"#),
        ("GroupOperation", #"{"type": "group", MEMBER}"#),
        ("ValueOperation", #"{"type": "value", MEMBER}"#),
        ("TransformOperation", #"{"type": "transform", MEMBER}"#),
        ("ChooseOperation", #"{"type": "choose", MEMBER}"#),
        ("Branch", #"{"type": "choose", "of": [{MEMBER}]}"#),
        ("RepeatOperation", #"{"type": "repeat", MEMBER}"#),
        ("PollOperation", #"{"type": "poll", MEMBER}"#),
        ("PagesOperation", #"{"type": "pages", MEMBER}"#),
        ("Gathering", #"{"type": "repeat", "max_runs": 2, "gather": {MEMBER}}"#),
        ("NextPageCursor", #"{"type": "pages", "next": {"cursor": {"at": "/body"}, MEMBER}}"#),
        ("CursorPlace", #"{"type": "pages", "next": {"cursor": {MEMBER}}}"#),
        ("NextPageNumber", #"{"type": "pages", "next": {"page": "p", MEMBER}}"#),
        ("NextPageOffset", #"{"type": "pages", "next": {"offset": "o", MEMBER}}"#),
        ("NotifyOperation", #"{"type": "notify", MEMBER}"#),
        ("TemplateOperation", #"{"type": "template", MEMBER}"#),
        ("Request", #"{"type": "network", "request": {MEMBER}}"#),
        (
            "Part",
            #"{"type": "network", "request": {"url": "http://a.example", "multipart": [{MEMBER}]}}"#
        ),
        ("Redirects", #"{"type": "network", "request": {"url": "http://a.example", "redirects": {MEMBER}}}"#),
        ("Protocol", #"{"type": "network", "request": {"url": "http://a.example", "http": {MEMBER}}}"#),
        ("Timeouts", #"{"type": "network", "request": "http://a.example", "timeouts": {MEMBER}}"#),
        ("Retry", #"{"type": "network", "request": "http://a.example", "retry": {MEMBER}}"#),
        ("Expect", #"{"type": "network", "request": "http://a.example", "expect": {MEMBER}}"#),
        ("Dependency", #"{"type": "group", "operations": [{"type": "delay", "after": [{MEMBER}]}]}"#),
        ("GroupMap", #"{"type": "group", "map": {MEMBER}}"#),
        ("SuccessOfSome", #"{"type": "group", "succeed_when": {MEMBER}}"#),
        ("SuccessOfMost", #"{"type": "group", "succeed_when": {MEMBER}}"#),
        ("AllConditions", #"{"type": "delay", "conditions": [{"all": [], MEMBER}]}"#),
        ("WhenCondition", #"{"type": "delay", "conditions": [{"when": {}, MEMBER}]}"#),
        ("JobDefaults", #"{"type": "delay", "for": "1s", "defaults": {MEMBER}}"#),
        ("Retention", #"{"type": "delay", "for": "1s", "retention": {MEMBER}}"#),
        ("LocalTime", #"{"type": "delay", "for": "1s", "run_at": {MEMBER}}"#),
        ("UniqueKey", #"{"type": "delay", "for": "1s", "unique": {MEMBER}}"#),
        ("TLS", #"{"type": "network", "request": {"url": "http://a.example", "tls": {MEMBER}}}"#),
        (
            "Proxy",
            #"{"type": "network", "request": {"url": "http://a", "proxy": {"url": "http://b", MEMBER}}}"#
        ),
    ])
    func `lists only members that the reader knows`(schema: String, spec: String) async throws {
        let schemas = try await APIDescription.load().document.object?["components"]?.object?["schemas"]
        let members = schemas?.object?[schema]?.object?["properties"]?.object?.members ?? []
        #expect(!members.isEmpty)
        for member in members {
            let found = problems(spec.replacing("MEMBER", with: "\"\(member.name)\": {}"))
            let unknown = found.filter { $0.code == SpecProblemCode.unknownMember.rawValue }
            #expect(unknown == [], "\(schema).\(member.name)")
        }
        let found = problems(spec.replacing("MEMBER", with: #""no_such_member": {}"#))
        #expect(found.contains { $0.code == SpecProblemCode.unknownMember.rawValue })
    }

    /// A schema, and a complete spec that takes a member of it; words in capitals are written out below.
    /// A generated client sends every default.
    @Test(arguments: [
        ("JobMembers", #"{DELAY, MEMBER}"#),
        ("OperationMembers", #"{DELAY, MEMBER}"#),
        ("NetworkOperation", #"{"type": "network", CALL, MEMBER}"#),
        ("DownloadOperation", #"{"type": "download", CALL, MEMBER}"#),
        ("DelayOperation", #"{DELAY, MEMBER}"#),
        ("DelayOperation", #"{"type": "delay", "until": "2030-01-01T00:00:00Z", MEMBER}"#),
        ("GroupOperation", #"{"type": "group", "operations": [VALUE], MEMBER}"#),
        ("GroupOperation", #"{"type": "group", "map": {"items": [1], "operation": VALUE}, MEMBER}"#),
        ("GroupMap", #"{"type": "group", "map": {"items": [1], "operation": VALUE, MEMBER}}"#),
        ("TransformOperation", #"{"type": "transform", "input": [1], "reduce": "sum", MEMBER}"#),
        ("RepeatOperation", #"{"type": "repeat", "max_runs": 2, "operation": VALUE, MEMBER}"#),
        ("PollOperation", #"{"type": "poll", CALL, DONE, MEMBER}"#),
        ("PagesOperation", #"{"type": "pages", CALL, "next": "link", MEMBER}"#),
        ("NextPageNumber", #"{"type": "pages", CALL, "next": {"page": "p", MEMBER}}"#),
        ("PollOperation", #"{"type": "poll", CALL, DONE, "backoff": "5s", MEMBER}"#),
        ("Request", #"{"type": "network", "request": {URL, MEMBER}}"#),
        ("Request", #"{"type": "network", "request": {URL, "method": "POST", "json": 1, MEMBER}}"#),
        ("Request", #"{"type": "notify", "message": "a", "request": {URL, MEMBER}}"#),
        ("Request", #"{DELAY, "callbacks": [{"request": {URL, MEMBER}}]}"#),
        ("Redirects", #"{"type": "network", "request": {URL, "redirects": {MEMBER}}}"#),
        ("Protocol", #"{"type": "network", "request": {URL, "http": {MEMBER}}}"#),
        ("TLS", #"{"type": "network", "request": {URL, "tls": {MEMBER}}}"#),
        ("Target", #"{"type": "network", CALL, "save": {MEMBER}}"#),
        ("Timeouts", #"{"type": "network", CALL, "timeouts": {MEMBER}}"#),
        ("Retry", #"{"type": "network", CALL, "retry": {MEMBER}}"#),
        ("Backoff", #"{"type": "network", CALL, "retry": {"backoff": {"initial": "1s", MEMBER}}}"#),
        ("Backoff", #"{"type": "network", CALL, "retry": {"backoff": {"type": "fixed", MEMBER}}}"#),
        (
            "Backoff",
            #"{"type": "poll", "follow": true, CALL, "backoff": {"type": "linear", "step": "1s", MEMBER}}"#
        ),
        ("UniqueKey", #"{DELAY, "unique": {"key": "a", MEMBER}}"#),
        ("Retention", #"{DELAY, "retention": {MEMBER}}"#),
        ("ReachabilityCondition", #"{DELAY, "conditions": [{"type": "reachability", URL, MEMBER}]}"#),
        ("ApprovalCondition", #"{DELAY, "conditions": [{"type": "approval", "prompt": "a", MEMBER}]}"#),
        (
            "TimeWindowCondition",
            #"{DELAY, "conditions": [{"type": "time_window", "tz": "UTC", "days": ["mon"], MEMBER}]}"#
        ),
        (
            "HMACAuth",
            #"{"type": "network", "request": {URL, "auth": {"type": "hmac", "key": "a", HOOKS, MEMBER}}}"#
        ),
    ])
    func `lists only valid defaults`(schema: String, spec: String) async throws {
        let schemas = try await APIDescription.load().document.object?["components"]?.object?["schemas"]
        let words = [
            "CALL": #""request": "http://a.example""#, "URL": #""url": "http://a.example""#,
            "VALUE": #"{"type": "value", "value": 1}"#, "DELAY": #""type": "delay", "for": "1s""#,
            "DONE": #""until": {"at": "/status", "equals": 200}"#, "HOOKS": #""scheme": "standard_webhooks""#,
        ]
        let whole = words.reduce(spec) { $0.replacing($1.key, with: $1.value) }
        for member in schemas?.object?[schema]?.object?["properties"]?.object?.members ?? [] {
            guard let value = member.value.object?["default"], !whole.contains("\"\(member.name)\"") else {
                continue
            }
            let text = "\"\(member.name)\": \(String(decoding: value.encoded(), as: UTF8.self))"
            #expect(problems(whole.replacing("MEMBER", with: text)) == [], "\(schema).\(member.name)")
        }
    }

    @Test func `has the operations that are declared, each with its members`() async throws {
        let description = try await APIDescription.load()
        for type in description.words("OperationType", "examples") {
            let found = problems("{\"type\": \"\(type)\"}")
            #expect(!found.contains { $0.code == SpecProblemCode.unknownType.rawValue }, "\(type)")
        }
        #expect(description.words("OperationType", "examples").sorted() == BuiltInKinds.names.sorted())
        for list in ["JobSpec", "OperationSpec"] {
            #expect(description.types(list).sorted() == BuiltInKinds.names.sorted(), "\(list)")
        }
        for kind in BuiltInKinds.all {
            let schema = try #require(description.schema(of: kind.name, in: "OperationSpec"))
            try expectMembers(of: kind, in: schema, besides: OperationReader.commonMembers)
        }
    }

    @Test func `has the conditions that are declared, each with its members`() async throws {
        let description = try await APIDescription.load()
        let typed = description.choices("Condition").filter { $0["properties"]?.object?["type"] != nil }
        func type(_ schema: JSONObject) -> String? {
            schema["properties"]?.object?["type"]?.object?["const"]?.string
        }
        #expect(typed.compactMap(type).sorted() == ConditionKinds.names.sorted())
        for kind in ConditionKinds.typed {
            let schema = try #require(typed.first { type($0) == kind.name })
            try expectOutcomes(of: kind, in: schema, description)
            try expectMembers(of: kind, in: schema, besides: ["type", "otherwise"])
        }
        for (kind, name) in zip(
            ConditionKinds.combining, ["AllConditions", "AnyCondition", "NotCondition", "WhenCondition"])
        {
            let schema = try #require(description.schema(name))
            try expectOutcomes(of: kind, in: schema, description)
            try expectMembers(of: kind, in: schema, besides: ["otherwise"])
        }
    }

    /// The schema has the words of `otherwise` that the kind has, and the same default.
    private func expectOutcomes(
        of kind: any ConditionKind.Type, in schema: JSONObject, _ description: APIDescription
    ) throws {
        let member = schema["properties"]?.object?["otherwise"]?.object
        #expect((member == nil) == kind.outcomes.isEmpty, "\(kind.name)")
        guard let member else { return }
        #expect(member["default"]?.string == kind.outcomes.first?.rawValue, "\(kind.name)")
        let words = member["enum"]?.array?.compactMap(\.string) ?? description.words("FailOrSkip", "enum")
        #expect(words.sorted() == kind.outcomes.map(\.rawValue).sorted(), "\(kind.name)")
    }

    @Test func `has the kinds of auth that are declared, each with its members`() async throws {
        let description = try await APIDescription.load()
        #expect(description.types("Auth").sorted() == AuthKinds.names.sorted())
        for kind in AuthKinds.all {
            let schema = try #require(description.schema(of: kind.name, in: "Auth"))
            try expectMembers(of: kind, in: schema)
        }
    }

    /// The schema has the members of the kind, requires the same, and has a default for the same.
    /// - Parameter common: members of the schema that do not belong to the kind alone.
    private func expectMembers(
        of kind: any SpecKind.Type, in schema: JSONObject, besides common: [String] = ["type"]
    ) throws {
        let properties = try #require(schema["properties"]?.object)
        let described = Set(properties.members.map(\.name)).subtracting(common)
        #expect(described == Set(kind.members.map(\.name)), "\(kind.name)")
        let required = Set(schema["required"]?.array?.compactMap(\.string) ?? []).subtracting(common)
        #expect(required == Set(kind.members.filter(\.isRequired).map(\.name)), "\(kind.name)")
        for member in kind.members {
            let hasDefault = properties[member.name]?.object?["default"] != nil
            #expect(hasDefault == member.hasDefault, "\(kind.name).\(member.name)")
        }
    }
}
