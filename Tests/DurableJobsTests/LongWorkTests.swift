import DurableJobs
import JobKit
import StrictJSON
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A job whose transform takes long` {
    private let scene = EngineScene()

    @Test func `delays no other job, and can be cancelled meanwhile`() async throws {
        let jobs = try await scene.start()
        let list = JSONValue.array((0..<8_000).map { ["n": .number(JSONNumber(Int64($0)))] })
        let comparisons = JSONValue.array(
            (1...8_000).map { ["at": "/n", "not_equals": .number(JSONNumber(-$0))] })
        let long = try await jobs.submit(
            ["type": "transform", "input": list, "where": ["all": comparisons], "reduce": "count"])
        for try await change in long.changes where change.state == .running { break }
        let short = try await jobs.submit(["type": "value", "value": 7])
        #expect(String(decoding: try await short.value.body, as: UTF8.self) == "7")
        #expect(try await long.status.state == .running)
        try await long.cancel()
        #expect(try await long.waitUntilFinished().state == .cancelled)
        await jobs.stop()
    }
}
