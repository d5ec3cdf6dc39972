import Foundation
import StrictJSON
import Testing

@Suite(.world) struct `A crowd of jobs` {
    @Test(arguments: [1, 2] as [UInt64])
    func `with edges, failures, keys and cancellations ends consistently`(seed: UInt64) async throws {
        let world = try World.here
        let url = world.upstream.script(
            "/crowd\(seed)", .status(200), .status(404), .status(200), .status(200), .status(404),
            .status(200))
        var random = Sequenced(state: seed)
        let specs = (0..<40).map { _ in Self.graph(&random, url, seed) }
        let cancelled = specs.indices.filter { _ in random.below(5) == 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, spec) in specs.enumerated() {
                let isCancelled = cancelled.contains(index)
                group.addTask {
                    let job = try await world.submit(spec)
                    if isCancelled { _ = try await job.cancel() }
                    try await Self.checkPromises(of: job.ended(), mayBeCancelled: isCancelled)
                }
            }
            try await group.waitForAll()
        }
        let open = "pending,scheduled,queued,running,waiting,retrying,held,cancelling"
        #expect(try await world.get("/v1/jobs?label.case=crowd\(seed)&state=\(open)").at("/items") == [])
        #expect(world.upstream.count(of: "/crowd\(seed)") > 0)
    }

    /// Everything has ended, and no operation began before its dependencies.
    private static func checkPromises(of ended: LiveJob.Ended, mayBeCancelled: Bool) {
        let final = ["succeeded", "failed", "cancelled", "skipped"]
        #expect(final.contains(ended.state ?? ""), "\(ended.document)")
        #expect(ended.state != "cancelled" || mayBeCancelled)
        for (path, operation) in ended.operations {
            let state = operation.text("/state") ?? ""
            #expect(final.contains(state), "\(path) is \(state)")
            #expect(ended.events(of: path).filter { $0 == "finished" }.count <= 1)
            #expect(["succeeded"].contains(state) == operation.codes.isEmpty || ended.state == "cancelled")
        }
        for (place, event) in ended.events.enumerated() where event.text("/type") == "started" {
            guard let path = event.text("/operation"), let before = Self.before[path] else { continue }
            let end = ended.place(of: "finished", before)
            #expect(end.map { $0 < place } ?? false, "\(path) began before \(before) ended")
        }
    }

    /// The dependencies in each graph.
    private static let before = ["n5": "n1", "n6": "n2", "n7": "n5", "n8": "n6", "n9": "n7"]

    private static func graph(_ random: inout Sequenced, _ url: String, _ seed: UInt64) -> String {
        let members = (0..<10).map { number -> String in
            let name = "n\(number)"
            var parts = [#""name": "\#(name)""#]
            switch random.below(3) {
            case 0: parts.append(#""type": "value", "value": \#(number)"#)
            case 1: parts.append(#""type": "delay", "for": "\#(random.below(8))ms""#)
            default: parts.append(#""type": "network", "request": "\#(url)", "retry": {"max_attempts": 1}"#)
            }
            if let needed = before[name] {
                let states = random.below(2) == 0 ? #"["succeeded"]"# : #""any""#
                parts.append(#""after": [{"operation": "\#(needed)", "states": \#(states)}]"#)
            }
            if random.below(3) == 0 {
                parts.append(
                    #""conditions": [{"type": "lock", "key": "crowd \#(seed) \#(random.below(3))"}]"#
                )
            }
            return "{" + parts.joined(separator: ", ") + "}"
        }
        return #"{"type": "group", "labels": {"case": "crowd\#(seed)"}, "operations": ["#
            + members.joined(separator: ", ") + "]}"
    }
}

/// Repeatable random numbers.
private struct Sequenced {
    var state: UInt64

    /// 0 to `limit` - 1.
    mutating func below(_ limit: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % limit
    }
}
