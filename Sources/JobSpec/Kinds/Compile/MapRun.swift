internal import JobKit
internal import StrictJSON

/// One run of a `map` operation.
struct MapRun {
    /// The maximum size of its result.
    static let bytesMax = 8 << 20

    let map: MapSpec
    let reader: ReferenceReader

    /// The resulting value.
    /// - Throws: `transform.failed`, `transform.too_large`, or the error of a reference, with the element.
    func value() throws(AOperationError) -> JSONValue {
        var value = try map.input.resolve(lookup: reader.value)
        if map.needsList {
            guard case .array(let elements) = value else {
                throw AOperationError(
                    .transformFailed,
                    detail: "input is \(value.kindName), and where, each, flatten and reduce need a list.")
            }
            var list = try made(elements)
            if map.flattens { list = Self.flattened(list) }
            if let reduction = map.reduction {
                value = try reduction.value(of: list)
            } else {
                value = .array(list)
            }
        }
        guard let result = map.result else { return value }
        return try result.resolve(lookup: lookup(at: value))
    }

    /// The elements that pass `where`, transformed by `each`.
    private func made(_ elements: [JSONValue]) throws(AOperationError) -> [JSONValue] {
        guard map.filter != nil || map.each != nil else { return elements }
        var made: [JSONValue] = []
        var bytes = 0
        for (index, element) in elements.enumerated() {
            do throws(AOperationError) {
                let lookup = lookup(at: element)
                if let filter = map.filter, try !filter.evaluate(document: element, lookup: lookup) {
                    continue
                }
                let value = try map.each?.resolve(lookup: lookup) ?? element
                bytes += value.encodedCount(upTo: Self.bytesMax) ?? Self.bytesMax + 1
                made.append(value)
            } catch {
                var error = error
                error.detail = "Element /\(index): \(error.detail)"
                throw error
            }
            guard bytes <= Self.bytesMax else { throw Self.tooLarge(at: index, "the list") }
        }
        return made
    }

    /// - Parameter whole: the name of the result.
    static func tooLarge(at index: Int, _ whole: String) -> AOperationError {
        AOperationError(
            .transformTooLarge,
            detail: "With element /\(index) \(whole) has more than \(bytesMax >> 20) MiB.")
    }

    private func lookup(at element: JSONValue) -> Binding.Lookup {
        var reader = reader
        reader.place = .item(element, name: nil, outer: reader.place)
        return reader.value
    }

    private static func flattened(_ list: [JSONValue]) -> [JSONValue] {
        list.flatMap { element -> [JSONValue] in
            if case .array(let inner) = element { inner } else { [element] }
        }
    }
}
