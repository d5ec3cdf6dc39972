/// Doubly linked lists whose nodes share one array. Adding an element at the end, taking the first and removing any
/// other take the same short time, however long a list is.
struct LinkedNodes<Element> {
    struct List {
        /// The node at the beginning, and that at the end.
        fileprivate(set) var first: Int?
        fileprivate var last: Int?

        var isEmpty: Bool { first == nil }
    }

    private struct Node {
        var element: Element?
        var previous: Int?
        /// In a free node, the next free one.
        var next: Int?
    }

    private var nodes: [Node] = []
    private var firstFree: Int?
    /// The number of elements in all lists.
    private(set) var count = 0

    /// The number of nodes up to which the memory of empty lists is kept.
    private static var nodesKeptMax: Int { 1_024 }

    /// The element of a node; nil after its removal.
    subscript(node: Int) -> Element? {
        get { nodes[node].element }
        _modify { yield &nodes[node].element }
    }

    /// The elements of all lists, in no order.
    var elements: [Element] { nodes.compactMap(\.element) }

    /// Adds an element at the end of a list.
    /// - Returns: its node, with which it can be removed.
    mutating func append(_ element: Element, to list: inout List) -> Int {
        let node = firstFree ?? nodes.count
        let new = Node(element: element, previous: list.last)
        if firstFree == nil {
            nodes.append(new)
        } else {
            firstFree = nodes[node].next
            nodes[node] = new
        }
        link(node, after: list.last, in: &list)
        count += 1
        return node
    }

    /// Removes the element of a node.
    @discardableResult
    mutating func remove(_ node: Int, from list: inout List) -> Element? {
        unlink(node, from: &list)
        let element = nodes[node].element
        nodes[node] = Node(element: nil, previous: nil, next: firstFree)
        firstFree = node
        count -= 1
        if count == 0, nodes.count > Self.nodesKeptMax { self = LinkedNodes() }
        return element
    }

    /// Moves the first element of a list to its end.
    mutating func rotate(_ list: inout List) {
        guard let node = list.first, node != list.last else { return }
        unlink(node, from: &list)
        nodes[node].next = nil
        nodes[node].previous = list.last
        link(node, after: list.last, in: &list)
    }

    private mutating func link(_ node: Int, after last: Int?, in list: inout List) {
        if let last { nodes[last].next = node } else { list.first = node }
        list.last = node
    }

    private mutating func unlink(_ node: Int, from list: inout List) {
        let (previous, next) = (nodes[node].previous, nodes[node].next)
        if let previous { nodes[previous].next = next } else { list.first = next }
        if let next { nodes[next].previous = previous } else { list.last = previous }
    }
}
