/// Finds named elements of a list that only grows, by the bytes of their names: among few by a search, among many by an
/// index. So a short list costs no allocation, and a long one no walk for each name.
///
/// Of several elements with one name the first is found.
package struct NameIndex: Sendable {
    /// The number of elements up to which a search is cheaper than an index.
    package static let searchedMax = 16

    private var places: [ByteKey: Int] = [:]
    /// The number of elements in the index, the first ones of the list.
    private var count = 0

    /// An index that is filled when it is needed.
    package init() {}

    /// The index of a list that does not change any more.
    package init<Element>(_ elements: [Element], by nameOf: (Element) -> String) {
        update(elements, by: nameOf)
    }

    /// Takes up the elements that are new since the last time, when there are many. Without that they are searched.
    package mutating func update<Element>(_ elements: [Element], by nameOf: (Element) -> String) {
        guard elements.count > Self.searchedMax else { return }
        while count < elements.count {
            let key = ByteKey(nameOf(elements[count]))
            if places[key] == nil { places[key] = count }
            count += 1
        }
    }

    /// The position of the first element of this name; nil when there is none.
    package func place<Element>(
        of name: String, in elements: [Element], by nameOf: (Element) -> String
    ) -> Int? {
        if count > 0, let place = places[ByteKey(name)] { return place }
        for place in count..<max(count, elements.count)
        where nameOf(elements[place]).hasSameBytes(as: name) {
            return place
        }
        return nil
    }

    /// Like `place(of:in:by:)`, with new elements taken up first.
    package mutating func position<Element>(
        of name: String, in elements: [Element], by nameOf: (Element) -> String
    ) -> Int? {
        update(elements, by: nameOf)
        return place(of: name, in: elements, by: nameOf)
    }
}
