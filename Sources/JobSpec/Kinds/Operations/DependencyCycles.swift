/// The cycles among the members of a group.
struct DependencyCycles {
    /// Each cycle as positions, the first one again at the end: `a, b, a`.
    private(set) var found: [[Int]] = []

    init(of group: GroupSpec, position: (String) -> Int?) {
        let members = group.operations
        guard members.contains(where: { !$0.after.isEmpty }) else { return }
        var needs = members.map { $0.after.compactMap { position($0.operation) } }
        if group.ordered { for index in members.indices.dropFirst() { needs[index].append(index - 1) } }
        var isLeft = [Bool](repeating: true, count: members.count)
        while let start = Self.remaining(after: needs, &isLeft) {
            let cycle = Self.cycle(from: start, needs, isLeft)
            found.append(cycle)
            for index in cycle { isLeft[index] = false }
        }
    }

    /// Removes all members whose needs are met; returns one that still waits.
    private static func remaining(after needs: [[Int]], _ isLeft: inout [Bool]) -> Int? {
        var open = needs.map { _ in 0 }
        var dependants: [[Int]] = needs.map { _ in [] }
        for (index, needed) in needs.enumerated() where isLeft[index] {
            for other in needed where isLeft[other] {
                open[index] += 1
                dependants[other].append(index)
            }
        }
        var ready = needs.indices.filter { isLeft[$0] && open[$0] == 0 }
        while let next = ready.popLast() {
            isLeft[next] = false
            for dependant in dependants[next] {
                open[dependant] -= 1
                if open[dependant] == 0 { ready.append(dependant) }
            }
        }
        return isLeft.firstIndex(of: true)
    }

    /// Each remaining member waits for another remaining one, so that following the edges must reach a cycle.
    private static func cycle(from start: Int, _ needs: [[Int]], _ isLeft: [Bool]) -> [Int] {
        var way: [Int] = []
        var place = start
        while !way.contains(place) {
            way.append(place)
            guard let next = needs[place].first(where: { isLeft[$0] }) else { return way }
            place = next
        }
        let round = Array(way.drop { $0 != place })
        // The cycle begins with the member that comes first in the spec.
        let least = round.indices.min { round[$0] < round[$1] } ?? 0
        let turned = Array(round[least...] + round[..<least])
        return turned + [turned[0]]
    }
}
