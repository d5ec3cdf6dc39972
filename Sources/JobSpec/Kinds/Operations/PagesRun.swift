internal import JobKit
internal import StrictJSON

/// Runs the pages of a list one after the other, and gathers their items.
struct PagesRun: Sendable {
    let pages: PagesSpec
    let compiler: SpecCompiler
    /// Resolves references from the position of the operation.
    let references: ReferenceReader

    /// The items of all pages.
    /// - Throws: the error of a page; `pages.loop`, `pages.limit`, `value.too_large`: all items, or an error.
    func result(in context: AOperationContext) async throws -> OperationResult {
        let inner = InnerRun(compiler: compiler, context: context)
        var items = GatheredList(of: references.name)
        var position = pages.rule.next.first
        var seen = SeenPositions(digests: context.core.environment.digests)
        try await RepeatLoop(times: nil, wait: pages.wait.map(RetrySpec.Backoff.fixed)).execute(in: context) {
            number throws(AOperationError) in
            guard number <= pages.limit else { throw tooMany }
            return pages.page(at: position)
        } run: { number, page in
            let (ending, next) = try await inner.ending(
                of: page, at: references.place, path: references.path + [String(number)],
                noted: NoteName.next)
            if ending.state != .succeeded { _ = try ending.passedOn() }
            items.append(try await gathered(from: ending, ofPage: number, room: items.next))
            guard let next, next != .null else { return false }
            guard seen.insert(next) else { throw loop(at: number) }
            position = next
            return true
        }
        return items.result
    }

    private func gathered(
        from ending: OperationEnding, ofPage number: Int, room: GatheredList
    ) async throws(AOperationError) -> GatheredList {
        let (board, gathering) = (references.board, pages.rule.items)
        return try await references.evaluate { lookup throws(AOperationError) in
            var list = room
            let document = try board.document(of: ending, with: gathering.bodyUse, lookup.meter)
            if let document {
                try gathering.collect(from: document, of: "Page \(number)", into: &list, lookup.meter)
            }
            return list
        }
    }

    private var tooMany: AOperationError {
        AOperationError(
            .pagesLimit,
            detail:
                "\(references.name) fetched \(pages.limit) pages, and there is a next one. Raise \"max_pages\" (at most "
                + "\(PagesSpec.pagesMax)), ask for larger pages, or say with \"until\" which page is the last."
        )
    }

    private func loop(at number: Int) -> AOperationError {
        AOperationError(
            .pagesLoop,
            detail:
                "Page \(number) of \(references.name) names a next page that a page before has named already: "
                + "the list would never end. Look at the answer of that page, and at \"next\".")
    }
}

/// The positions that pages have named, by their digests.
private struct SeenPositions {
    let digests: (any MessageDigests)?
    private var known: Set<[UInt8]> = []

    init(digests: (any MessageDigests)?) { self.digests = digests }

    /// False when it was there.
    mutating func insert(_ position: JSONValue) -> Bool {
        let bytes = position.encoded()
        return known.insert(digests?.sha256(bytes) ?? bytes).inserted
    }
}
