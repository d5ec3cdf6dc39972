internal import StrictJSON

extension SpecCompiler {
    /// At most this many bytes of members' results go into the list that is the group's result.
    private static let listBytesMax = 1 << 20

    /// Adds one member for each element, called by its number from 1.
    func add(_ each: EachSpec, _ items: [JSONValue], to scope: GroupScope, _ references: ReferenceReader) {
        let spec = each.operation
        for (index, item) in items.enumerated() {
            let path = references.path + [String(index + 1)]
            let place = SpecPlace.item(item, name: each.name, outer: references.place)
            var recipe = self.recipe(for: spec, at: place, path: path)
            recipe.step = path.last
            _ = scope.add(
                recipe, failureCounts: spec.onFailure == .fail, ended: { board.post($0, at: path) })
        }
    }

    /// The results of the members in the order of the list; null for those that did not succeed, and for those that
    /// would make it too large.
    func result(ofEach count: Int, at path: [String]) -> OperationResult {
        var bytes = 0
        let values = (0..<count).map { index -> JSONValue in
            guard let ending = board.ending(at: path + [String(index + 1)]), ending.state == .succeeded,
                let result = ending.result
            else { return .null }
            bytes += result.body.count
            return bytes <= Self.listBytesMax ? result.bodyValue : .null
        }
        return OperationResult(json: .array(values))
    }
}

extension EachSpec {
    /// The list, as it was when the group was first executed.
    func items(
        in context: AOperationContext, _ references: ReferenceReader, _ room: RunRoom
    ) async throws -> [JSONValue] {
        if case .array(let known)? = context.recalled(Self.itemsNote) { return known }
        let value = try items.resolve(lookup: references.lookup(in: context))
        guard case .array(let list) = value else {
            throw AOperationError(
                .transformFailed, detail: "map.items is \(value.kindName), and must be a list.")
        }
        guard list.count <= itemsMax else {
            throw AOperationError(
                .transformTooLarge,
                detail: "map.items has \(list.count) elements; allowed are \(itemsMax) (max_items).")
        }
        try room.keep(value.encodedCount(upTo: .max) ?? .max)
        try await context.remember(value, as: Self.itemsNote)
        return list
    }
}

extension GroupSpec {
    /// How members that are made for the elements of a list follow each other; written members have edges instead.
    var memberOrder: GroupRules.Order {
        guard let each, ordered else { return .none }
        return each.operation.onFailure == .continue ? .carriesOn : .stopsAtFailure
    }
}
