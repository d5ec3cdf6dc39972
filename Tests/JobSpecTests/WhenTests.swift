import JobKit
import StrictJSON
import Testing

@Suite struct `The member when` {
    private func spec(
        _ ready: Bool,
        _ members: String = #""type":"group","operations":[{"type":"value","name":"work","value":7}]"#
    ) -> String {
        #"""
        {"type":"group","operations":[
          {"type":"value","name":"a","value":{"ready":\#(ready)}},
          {"name":"door","when":{"$get":"a","at":"/body/ready","equals":true},\#(members)},
          {"type":"value","name":"next","value":{"$get":"door/work"}},
          {"type":"value","name":"anyway","value":{"$get":"door","default":"closed"}}]}
        """#
    }

    @Test func `runs the operation where it holds`() async throws {
        let value = try await SpecRun().value(spec(true))
        #expect(value?.object?["next"] == 7)
        #expect(value?.object?["anyway"] == ["work": 7])
    }

    @Test func `skips a group with all inside where it does not hold, and its dependants are decided`()
        async throws
    {
        let ending = try await SpecRun().ending(spec(false))
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue == ["a": ["ready": false], "anyway": "closed"])
    }

    @Test func `leaves the failure of what it lets run as it is`() async throws {
        let ending = try await SpecRun { _, _ in (404, "{}") }.ending(
            spec(
                true,
                #""type":"group","operations":[{"type":"network","name":"work","request":"https://a.example/"}]"#
            ))
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.publisher == "work")
        #expect(ending.errors.first?.path == ["group", "door", "work"])
    }

    @Test func `names itself as the reason for a skip`() async throws {
        let ending = try await SpecRun().ending(
            #"{"type":"value","value":1,"when":{"$job":"name","equals":"other"}}"#)
        #expect(ending.state == .skipped)
        #expect(ending.errors.map(\.code) == [.whenFalse])
    }

    @Test(arguments: [
        WrongSpec(#"{"type":"value","value":1,"when":true}"#, "/when", "spec.wrong_type"),
        WrongSpec(
            #"{"type":"value","value":1,"when":{"at":"/body","exists":true}}"#, "/when",
            "spec.missing_member", hint: "$get"),
        WrongSpec(
            #"{"type":"value","value":1,"when":{"$job":"id"}}"#, "/when", "spec.missing_member",
            hint: "equals"),
    ])
    func `is checked before it runs`(wrong: WrongSpec) { wrong.expectAlone() }
}
