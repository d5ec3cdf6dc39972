/// Elements with the smallest at hand. Equal ones may be in it.
struct MinHeap<Element: Comparable> {
    /// Each is not after those at 2n + 1 and 2n + 2.
    private(set) var elements: [Element] = []
    /// The number of levels that were passed, for tests.
    private(set) var steps = 0

    init(sorted elements: [Element] = []) { self.elements = elements }

    var count: Int { elements.count }
    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        var index = elements.count
        elements.append(element)
        while index > 0 {
            steps += 1
            let above = (index - 1) / 2
            if elements[above] <= element { break }
            elements[index] = elements[above]
            index = above
        }
        elements[index] = element
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        if elements.isEmpty { return first }
        var index = 0
        while true {
            steps += 1
            var below = 2 * index + 1
            if below >= elements.count { break }
            if below + 1 < elements.count, elements[below + 1] < elements[below] { below += 1 }
            if last <= elements[below] { break }
            elements[index] = elements[below]
            index = below
        }
        elements[index] = last
        return first
    }

    /// Keeps the elements that satisfy `condition`.
    mutating func filter(_ condition: (Element) -> Bool) {
        steps += elements.count
        // In order, and therefore a heap.
        elements = elements.filter(condition).sorted()
    }
}
