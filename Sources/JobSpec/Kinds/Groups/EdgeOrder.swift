internal import StrictJSON

/// The order in which the members of a group are made: each after all that it has edges to.
enum EdgeOrder {
    /// The positions of all members, round by round: first those without edges, then those whose edges lead to
    /// members of earlier rounds; in a round in the order of the spec. Members of a cycle, and those with an edge to no
    /// member, come last.
    static func positions<Member>(
        of members: [Member], name: (Member) -> String, edges: (Member) -> [String]
    ) -> [Int] {
        var open = [Int](repeating: 0, count: members.count)
        var followers = [[Int]](repeating: [], count: members.count)
        var names = NameIndex()
        for (position, member) in members.enumerated() {
            for edge in edges(member) {
                open[position] += 1
                guard let other = names.position(of: edge, in: members, by: name) else { continue }
                followers[other].append(position)
            }
        }
        var order: [Int] = []
        order.reserveCapacity(members.count)
        var round = members.indices.filter { open[$0] == 0 }
        while !round.isEmpty {
            order += round
            var next: [Int] = []
            for position in round {
                for follower in followers[position] {
                    open[follower] -= 1
                    if open[follower] == 0 { next.append(follower) }
                }
            }
            round = next.sorted()
        }
        return order + members.indices.filter { open[$0] > 0 }
    }
}
