/// A queue whose front moves, so that taking an element costs the same however many wait.
struct Queue<Element> {
    /// Nil where an element was taken.
    private var elements: [Element?] = []
    private var place = 0

    var isEmpty: Bool { place == elements.count }

    var count: Int { elements.count - place }

    var first: Element? { place < elements.count ? elements[place] : nil }

    /// The elements that wait, in order.
    var rest: [Element] { elements[place...].compactMap(\.self) }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard place < elements.count, let element = elements[place] else { return nil }
        elements[place] = nil
        place += 1
        if place > 64, place * 2 > elements.count {
            elements.removeFirst(place)
            place = 0
        }
        return element
    }
}

extension Queue: Sendable where Element: Sendable {}
