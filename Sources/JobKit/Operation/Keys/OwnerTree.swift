internal import StrictJSON

/// The owners that hold exclusive keys or wait for them, in the order of their paths: those inside of a group
/// are found without a look at others.
struct OwnerTree {
    /// An owner, or a name on the way to one.
    struct Node {
        /// Nil for a job.
        let parent: Int?
        let name: ByteKey
        var children: [ByteKey: Int] = [:]
        /// Nil while it neither holds a key nor waits for one.
        var owner: ExclusionOwner?
        var held: Set<ByteKey> = []
        /// Its places in the line. An owner may wait more than once.
        var places: [LinePlace] = []

        var isIdle: Bool { held.isEmpty && places.isEmpty }
    }

    private var nodes: [Node?] = []
    private var free: [Int] = []
    private var jobs: [ByteKey: Int] = [:]

    var isEmpty: Bool { jobs.isEmpty }

    /// One that is idle when it was removed.
    subscript(number: Int) -> Node { nodes[number] ?? Node(parent: nil, name: ByteKey("")) }

    mutating func hold(_ keys: Set<ByteKey>, _ number: Int) { nodes[number]?.held.formUnion(keys) }

    /// - Returns: the keys that it held.
    mutating func release(_ number: Int) -> Set<ByteKey> {
        let keys = nodes[number]?.held ?? []
        nodes[number]?.held = []
        return keys
    }

    mutating func enter(_ place: LinePlace, _ number: Int) { nodes[number]?.places.append(place) }

    mutating func leave(_ place: LinePlace, _ number: Int) {
        if let index = nodes[number]?.places.firstIndex(of: place) { nodes[number]?.places.remove(at: index) }
    }

    // MARK: Finding

    /// The number of an owner; nil when it neither holds a key nor waits for one.
    func find(_ owner: ExclusionOwner) -> Int? {
        guard var number = jobs[ByteKey(owner.job)] else { return nil }
        for name in owner.path {
            guard let child = nodes[number]?.children[ByteKey(name)] else { return nil }
            number = child
        }
        return number
    }

    /// The number of an owner, which gets one. To be followed by `removeIfIdle` if it then neither holds a key nor
    /// waits.
    mutating func number(of owner: ExclusionOwner) -> Int {
        let job = ByteKey(owner.job)
        var number: Int
        if let known = jobs[job] {
            number = known
        } else {
            number = add(Node(parent: nil, name: job))
            jobs[job] = number
        }
        for name in owner.path {
            let name = ByteKey(name)
            if let child = nodes[number]?.children[name] {
                number = child
            } else {
                let child = add(Node(parent: number, name: name))
                nodes[number]?.children[name] = child
                number = child
            }
        }
        if nodes[number]?.owner == nil { nodes[number]?.owner = owner }
        return number
    }

    private mutating func add(_ node: Node) -> Int {
        if let number = free.popLast() {
            nodes[number] = node
            return number
        }
        nodes.append(node)
        return nodes.count - 1
    }

    /// All that are below `number`, each after its parent.
    func below(_ number: Int) -> [Int] {
        var found: [Int] = []
        var open = Array(self[number].children.values)
        while let next = open.popLast() {
            found.append(next)
            open += self[next].children.values
        }
        return found
    }

    /// Removes an owner that neither holds a key nor waits for one, and the names on the way to it that lead nowhere
    /// else.
    mutating func removeIfIdle(_ number: Int) {
        var next: Int? = number
        while let number = next, let node = nodes[number], node.isIdle {
            nodes[number]?.owner = nil
            guard node.children.isEmpty else { return }
            nodes[number] = nil
            free.append(number)
            if let parent = node.parent {
                nodes[parent]?.children[node.name] = nil
            } else {
                jobs[node.name] = nil
            }
            next = node.parent
        }
    }
}
