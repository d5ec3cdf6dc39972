/// The cycles among the members of a group, one after the other.
struct DependencyCycles {
    private let needs: [[Int]]
    /// The need of each member from which on they may be left: those before it are not.
    private var firstNeed: [Int]
    /// The number of each member's needs that are left.
    private var open: [Int] = []
    private var dependants: [[Int]] = []
    private var isLeft: [Bool] = []
    /// No member before this one is left.
    private var first = 0

    init(of group: GroupSpec, position: (String) -> Int?) {
        let members = group.operations
        guard members.contains(where: { !$0.after.isEmpty }) else {
            (needs, firstNeed) = ([], [])
            return
        }
        var needs = members.map { $0.after.compactMap { position($0.operation) } }
        if group.ordered { for index in members.indices.dropFirst() { needs[index].append(index - 1) } }
        self.needs = needs
        firstNeed = needs.map { _ in 0 }
        open = needs.map(\.count)
        isLeft = needs.map { _ in true }
        dependants = needs.map { _ in [] }
        for (index, needed) in needs.enumerated() { for other in needed { dependants[other].append(index) } }
        for index in needs.indices where open[index] == 0 { remove(index) }
    }

    /// The next cycle as positions, the first one again at the end: `a, b, a`. Its members are not in another one.
    mutating func next() -> [Int]? {
        while first < isLeft.count, !isLeft[first] { first += 1 }
        guard first < isLeft.count else { return nil }
        let cycle = cycle(from: first)
        for index in cycle { remove(index) }
        return cycle
    }

    /// Removes a member, and all whose needs are met by that.
    private mutating func remove(_ index: Int) {
        guard isLeft[index] else { return }
        isLeft[index] = false
        var ready = [index]
        while let next = ready.popLast() {
            for dependant in dependants[next] {
                open[dependant] -= 1
                guard open[dependant] == 0, isLeft[dependant] else { continue }
                isLeft[dependant] = false
                ready.append(dependant)
            }
        }
    }

    /// Each remaining member waits for another remaining one, so that following the edges must reach a cycle.
    private mutating func cycle(from start: Int) -> [Int] {
        var way: [Int] = []
        var seen = [Bool](repeating: false, count: needs.count)
        var place = start
        while !seen[place] {
            seen[place] = true
            way.append(place)
            while firstNeed[place] < needs[place].count, !isLeft[needs[place][firstNeed[place]]] {
                firstNeed[place] += 1
            }
            guard firstNeed[place] < needs[place].count else { return way }
            place = needs[place][firstNeed[place]]
        }
        let round = Array(way.drop { $0 != place })
        // The cycle begins with the member that comes first in the spec.
        let least = round.indices.min { round[$0] < round[$1] } ?? 0
        let turned = Array(round[least...] + round[..<least])
        return turned + [turned[0]]
    }
}
