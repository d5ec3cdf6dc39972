import JobKit
import StrictJSON
import Testing

@Suite struct `A gate` {
    private func spec(_ ready: Bool, _ inner: String = #"{"type":"value","name":"work","value":7}"#) -> String
    {
        #"""
        {"type":"group","operations":[
          {"type":"value","name":"a","value":{"ready":\#(ready)}},
          {"type":"gate","name":"door","when":{"$get":"a","at":"/body/ready","equals":true},"operation":\#(inner)},
          {"type":"value","name":"next","value":{"$get":"door/work"}},
          {"type":"value","name":"anyway","value":{"$get":"door","default":"closed"}}]}
        """#
    }

    @Test func `that is open ends as the operation inside, at its path`() async throws {
        let value = try await SpecRun().value(spec(true))
        #expect(value?.object?["door"] == 7)
        #expect(value?.object?["next"] == 7)
        #expect(value?.object?["anyway"] == 7)
    }

    @Test func `that is closed is skipped, and dependants of it and of its inner operation are decided`()
        async throws
    {
        let ending = try await SpecRun().ending(spec(false))
        #expect(ending.state == .succeeded)
        #expect(ending.result?.bodyValue == ["a": ["ready": false], "anyway": "closed"])
    }

    @Test func `passes on the failure of the inner operation unchanged`() async throws {
        let ending = try await SpecRun { _, _ in (404, "{}") }.ending(
            spec(true, #"{"type":"network","name":"work","request":"https://a.example/"}"#))
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.publisher == "work")
        #expect(ending.errors.first?.path == ["group", "door", "work"])
    }

    @Test func `is skipped when the operation inside is`() async throws {
        let ending = try await SpecRun().ending(
            #"""
            {"type":"gate","when":{"$job":"name","equals":"gate"},"operation":
              {"type":"value","value":1,"when":{"$job":"name","equals":"other"}}}
            """#)
        #expect(ending.state == .skipped)
        #expect(ending.errors.map(\.code) == [.whenFalse])
    }

    @Test func `stops the operation inside when it is stopped`() async throws {
        let run = SpecRun()
        let task = run.start(
            #"{"type":"gate","when":{"$job":"name","exists":true},"operation":{"type":"delay","for":"1h"}}"#)
        await run.clock.waitForSleepers()
        run.cancel()
        #expect(try await task.value.state == .cancelled)
        #expect(run.clock.sleeperCount == 0)
    }

    @Test(arguments: [
        WrongSpec(
            #"{"type":"gate","operation":{"type":"value","value":1}}"#, "", "spec.missing_member",
            hint: "when"),
        WrongSpec(
            #"{"type":"gate","when":{"$job":"id","exists":true}}"#, "", "spec.missing_member",
            hint: "operation"),
        WrongSpec(
            #"{"type":"gate","when":{"$job":"id","exists":true},"operation":{"type":"value","value":1,"after":["a"]}}"#,
            "/operation/after", "spec.not_available", hint: "siblings"),
        WrongSpec(
            #"{"type":"gate","when":{"$job":"id","exists":true},"operation":{"type":"value","value":1,"queue":"a"}}"#,
            "/operation/queue", "spec.root_only"),
        WrongSpec(
            #"{"type":"gate","when":{"at":"/body","exists":true},"operation":{"type":"value","value":1}}"#,
            "/when", "spec.missing_member", hint: "$get"),
    ])
    func `is checked before it runs`(wrong: WrongSpec) { wrong.expectAlone() }
}
