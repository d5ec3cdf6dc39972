import Foundation
import JobKit
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

    /// A schema, and a spec with `MEMBER` where a member of that schema may stand.
    @Test(arguments: [
        ("JobMembers", #"{"type": "delay", "for": "1s", MEMBER}"#),
        ("Callback", #"{"type": "delay", "for": "1s", "callbacks": [{MEMBER}]}"#),
        ("OperationMembers", #"{"type": "delay", "for": "1s", MEMBER}"#),
        ("NetworkMembers", #"{"type": "network", MEMBER}"#),
        ("DownloadMembers", #"{"type": "download", MEMBER}"#),
        ("Target", #"{"type": "network", "request": "http://a.example", "to": {MEMBER}}"#),
        ("Verification", #"{"type": "download", "request": "http://a.example", "verify": {MEMBER}}"#),
        ("DelayMembers", #"{"type": "delay", MEMBER}"#),
        ("AwaitMembers", #"{"type": "await", MEMBER}"#),
        ("GroupMembers", #"{"type": "group", MEMBER}"#),
        ("ValueMembers", #"{"type": "value", MEMBER}"#),
        ("MapMembers", #"{"type": "map", MEMBER}"#),
        ("GateMembers", #"{"type": "gate", MEMBER}"#),
        ("RepeatMembers", #"{"type": "repeat", MEMBER}"#),
        ("PollMembers", #"{"type": "poll", MEMBER}"#),
        ("NotifyMembers", #"{"type": "notify", MEMBER}"#),
        ("WrapperMembers", #"{"type": "wrapper", MEMBER}"#),
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
        ("JobDefaults", #"{"type": "delay", "for": "1s", "defaults": {MEMBER}}"#),
        ("Retention", #"{"type": "delay", "for": "1s", "retention": {MEMBER}}"#),
        ("UniqueKey", #"{"type": "delay", "for": "1s", "unique": {MEMBER}}"#),
        ("TLS", #"{"type": "network", "request": {"url": "http://a.example", "tls": {MEMBER}}}"#),
        (
            "Proxy",
            #"{"type": "network", "request": {"url": "http://a.example", "proxy": {"url": "http://b.example", MEMBER}}}"#
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

    @Test func `lists the types and conditions that the reader knows`() async throws {
        let description = try await APIDescription.load()
        for type in description.words("OperationType") {
            let found = problems("{\"type\": \"\(type)\"}")
            #expect(!found.contains { $0.code == SpecProblemCode.unknownType.rawValue }, "\(type)")
        }
        #expect(description.types("JobSpec").sorted() == description.words("OperationType").sorted())
        #expect(description.types("OperationSpec").sorted() == description.types("JobSpec").sorted())
        #expect(description.types("Condition").count == 13)
        for type in description.types("Condition") {
            let spec = "{\"type\": \"delay\", \"for\": \"1s\", \"conditions\": [{\"type\": \"\(type)\"}]}"
            let found = problems(spec)
            #expect(!found.contains { $0.code == SpecProblemCode.unknownType.rawValue }, "\(type)")
        }
    }
}
