import Testing

@testable import JobSpec

@Suite struct `The order of a group's members` {
    private struct Member {
        let name: String
        let edges: [String]
    }

    private func order(_ members: [Member]) -> [Int] {
        EdgeOrder.positions(of: members, name: { $0.name }, edges: { $0.edges })
    }

    /// The same by a walk through all that are left for each round.
    private func slowOrder(_ members: [Member]) -> [Int] {
        var placed: Set<String> = []
        var order: [Int] = []
        var left = Array(members.indices)
        while !left.isEmpty {
            let ready = left.filter { members[$0].edges.allSatisfy(placed.contains) }
            if ready.isEmpty { return order + left }
            order += ready
            placed.formUnion(ready.map { members[$0].name })
            left.removeAll { ready.contains($0) }
        }
        return order
    }

    @Test func `is made in rounds, each in the order of the spec`() {
        let members = [
            Member(name: "a", edges: ["c"]), Member(name: "b", edges: []),
            Member(name: "c", edges: ["d", "d"]),
            Member(name: "d", edges: []), Member(name: "e", edges: ["b"]),
        ]
        #expect(order(members) == [1, 3, 2, 4, 0])
    }

    @Test func `has members of cycles and those with an edge to no member last`() {
        let members = [
            Member(name: "a", edges: ["b"]), Member(name: "b", edges: ["a"]),
            Member(name: "c", edges: ["missing"]), Member(name: "d", edges: ["d"]),
            Member(name: "e", edges: []),
        ]
        #expect(order(members) == [4, 0, 1, 2, 3])
    }

    @Test func `is that of a walk through all members for each round`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let count = Int.random(in: 1...40, using: &generator)
            let members = (0..<count).map { position in
                Member(
                    name: "m\(position)",
                    edges: (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                        "m\(Int.random(in: 0..<count, using: &generator))"
                    })
            }
            #expect(order(members) == slowOrder(members), "\(members)")
        }
    }

    @Test func `takes work in proportion to the members of a chain`() {
        let growth = Growth.ofDoubling(2_000) { count in
            let chain = (0..<count).map { Member(name: "m\($0)", edges: ["m\($0 + 1)"]) }
            _ = order(chain + [Member(name: "m\(count)", edges: [])])
        }
        #expect(growth < 2.6, "\(growth)")
    }
}
