internal import JobKit
internal import StrictJSON

/// One member of a group for each element of a list. The members are named `1`, `2`, …, in the order of the list.
package struct EachSpec: Sendable, Hashable {
    /// The upper limit of elements: 10,000.
    package static let itemsMax = 10_000

    package var items: Binding
    /// The name of an element inside other maps (`as`). Default `item`.
    package var name = "item"
    /// The operation on an element.
    package var operation: OperationSpec
    /// The limit of elements in the list, 1…10,000; of lines, up to 2,000,000.
    package var itemsMax = EachSpec.itemsMax
    /// The lines that are the elements, in place of the list.
    package var lines: LineSource?
    /// The file of the results of a map over lines.
    package var target = ArtifactSpec()

    /// `operation` for each of `items`.
    package init(items: Binding, operation: OperationSpec) {
        self.items = items
        self.operation = operation
    }
}

extension EachSpec {
    private static let operationMember = RequiredMember.operation(
        remedy: "Write the operation for each element.")

    /// `map` of a group, of which `concurrency` belongs to the group.
    static func read(
        _ value: JSONValue, _ group: inout GroupSpec, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> EachSpec? {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object",
                suggestion: #"{"items": [1, 2, 3], "operation": {"type": "delay", "for": "1s"}}"#)
            return nil
        }
        let known = ["items", "as", "operation", "concurrency", "max_items", "save"]
        reading.members(of: object, "map", known: known) { _, name, _ in known.contains(name) }
        guard let items = object["items"] else {
            reading.missing(
                "items", "Say for which elements.",
                suggestion: #""items": {"$get": "list", "at": "/body/items"}"#)
            return nil
        }
        var lines: LineSource?
        var list = Binding.literal(.null)
        reading.enter("items")
        let hasLines = items.object?[LineSource.word] != nil
        if hasLines, let object = items.object {
            lines = LineSource.read(object, scope, &reading)
        } else {
            list = BindingReader(scope).binding(items, &reading)
        }
        reading.leave()
        let name = object["as"].flatMap { value in reading.inside("as") { $0.name(value) } } ?? "item"
        readConcurrency(object, of: &group, &reading)
        let inside = scope.inMap(as: name)
        guard let operation = operationMember.read(object, inside, &reading) else { return nil }
        var each = EachSpec(items: list, operation: operation)
        each.name = name
        each.lines = lines
        each.itemsMax = hasLines ? LineSource.linesMax : EachSpec.itemsMax
        if let value = object["max_items"] {
            let most = each.itemsMax
            each.itemsMax = reading.inside("max_items") { $0.int(value, in: 1...most) } ?? most
        }
        if let value = object["save"] {
            each.target = reading.inside("save") { TargetReader.target(value, &$0) }
            if !hasLines {
                reading.note(
                    member: "save", .conflict,
                    "\"save\" goes with items that are lines: the results of a list are a list. Leave it out."
                )
            }
        }
        if !hasLines, case .literal(let literal) = list {
            reading.inside("items") { checkList(literal, atMost: each.itemsMax, &$0) }
        }
        InnerOperation.checkCount(each.writtenCount, of: each.operation, &reading)
        return each
    }

    private static func checkList(_ literal: JSONValue, atMost most: Int, _ reading: inout SpecReading) {
        guard let elements = literal.array else {
            return reading.wrongType(literal, "a list, or a binding that gives one")
        }
        if elements.count > most {
            reading.note(.tooLarge, "The list has \(elements.count) elements; allowed are \(most).")
        }
    }

    private static func readConcurrency(
        _ object: JSONObject, of group: inout GroupSpec, _ reading: inout SpecReading
    ) {
        guard let value = object["concurrency"] else { return }
        if group.concurrency != nil {
            reading.note(
                member: "concurrency", .conflict, "The group says \"concurrency\", too. Leave one out.")
        }
        group.concurrency = reading.inside("concurrency") { $0.int(value, in: 1...10_000) }
    }

    /// The number of operations that its members are, as far as the list is written in the spec.
    var writtenCount: Int {
        switch items {
        case .literal(.array(let elements)):
            OperationCount.product(elements.count, operation.writtenCount)
        case .array(let parts): OperationCount.product(parts.count, operation.writtenCount)
        case .literal, .get, .text, .object: 0
        }
    }

    /// The list, as at the first execution of the group.
    func items(
        in context: OperationContext, _ references: ReferenceReader, _ budget: RunBudget
    ) async throws -> [JSONValue] {
        if case .array(let known)? = context.remembered(NoteName.items) { return known }
        let value = try await references.attempt(in: context).evaluate { lookup throws(AOperationError) in
            try items.resolve(lookup: lookup)
        }
        guard case .array(let list) = value else {
            throw AOperationError(
                .transformFailed, detail: "map.items is \(value.kindName), and must be a list.")
        }
        guard list.count <= itemsMax else {
            throw AOperationError(
                .transformTooLarge,
                detail: "map.items has \(list.count) elements; allowed are \(itemsMax) (max_items).")
        }
        try budget.keep(value.encodedCount(upTo: .max) ?? .max)
        try await context.remember(value, as: NoteName.items)
        return list
    }

    /// See `OperationWork.begun`.
    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        guard case .array(let list)? = past.histories[references.path]?.notes[NoteName.items] else {
            return []
        }
        return list.enumerated().map { index, item in
            PlacedOperation(
                spec: operation, place: .item(item, name: name, outer: references.place),
                path: references.path + [String(index + 1)])
        }
    }
}
