/// The dependencies between modules, or between the folders of one module.
struct ArrowGraph: CustomStringConvertible {
    let name: String
    /// The nodes that each node uses.
    private(set) var arrows: [String: Set<String>] = [:]

    init(_ name: String) { self.name = name }

    mutating func add(_ node: String, uses used: Set<String>) {
        arrows[node, default: []].formUnion(used.subtracting([node]))
    }

    /// Nodes that form a cycle, the first repeated at the end; nil when all arrows point down.
    var cycle: [String]? {
        var done: Set<String> = []
        var path: [String] = []
        func search(_ node: String) -> [String]? {
            if let start = path.firstIndex(of: node) { return path[start...] + [node] }
            guard done.insert(node).inserted else { return nil }
            path.append(node)
            defer { path.removeLast() }
            for next in arrows[node, default: []].sorted() {
                if let found = search(next) { return found }
            }
            return nil
        }
        for node in arrows.keys.sorted() {
            if let found = search(node) { return found }
        }
        return nil
    }

    var description: String {
        let lines = arrows.sorted { $0.key < $1.key }.map { node, used in
            "  \(node) -> \(used.isEmpty ? "nothing" : used.sorted().joined(separator: ", "))"
        }
        return ([name] + lines).joined(separator: "\n")
    }
}
