internal import JobKit
internal import StrictJSON

/// One run of a `transform`.
struct TransformRun {
    /// The maximum size of its result.
    static let bytesMax = 8 << 20

    let transform: TransformSpec
    let reader: ReferenceReader
    let meter: StepMeter

    /// The resulting value.
    /// - Throws: `transform.failed`, `transform.too_large`, or the error of a reference, with the element;
    ///   `evaluation.too_long`.
    func value() throws(AOperationError) -> JSONValue {
        var value = try transform.input.resolve(lookup: reader.lookup(meter))
        if transform.needsList {
            guard case .array(let elements) = value else {
                throw AOperationError(
                    .transformFailed,
                    detail: "input is \(value.kindName), and where, each, flatten and reduce need a list.")
            }
            var list = try made(elements)
            if transform.flattens { list = try flattened(list) }
            if let reduction = transform.reduction {
                value = try reduction.value(of: list, meter)
            } else {
                value = .array(list)
            }
        }
        guard let result = transform.result else { return value }
        return try result.resolve(lookup: lookup(at: value))
    }

    /// The elements that pass `where`, transformed by `each`.
    private func made(_ elements: [JSONValue]) throws(AOperationError) -> [JSONValue] {
        guard transform.filter != nil || transform.each != nil else { return elements }
        var made: [JSONValue] = []
        var bytes = 0
        for (index, element) in elements.enumerated() {
            try meter.spend(100, on: .making)
            do throws(AOperationError) {
                let lookup = lookup(at: element)
                if let filter = transform.filter, try !filter.evaluate(document: element, lookup: lookup) {
                    continue
                }
                let value = try transform.each?.resolve(lookup: lookup) ?? element
                let count = value.encodedCount(upTo: Self.bytesMax) ?? Self.bytesMax + 1
                try meter.spend(count / 2, on: .making)
                bytes += count
                made.append(value)
            } catch {
                guard error.code != .evaluationTooLong else { throw error }
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
        return reader.lookup(meter)
    }

    private func flattened(_ list: [JSONValue]) throws(AOperationError) -> [JSONValue] {
        var flat: [JSONValue] = []
        for element in list {
            if case .array(let inner) = element {
                try meter.spend(4 + inner.count, on: .making)
                flat += inner
            } else {
                try meter.spend(4, on: .making)
                flat.append(element)
            }
        }
        return flat
    }
}
