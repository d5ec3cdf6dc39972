internal import JobKit
internal import StrictJSON

/// Runs the pages of a list one after the other, and gathers their items.
struct PagesRun: Sendable {
    let pages: PagesSpec
    let compiler: SpecCompiler
    /// Resolves references from the position of the operation.
    let references: ReferenceReader

    /// The items of all pages, as a list or in a file.
    /// - Throws: the error of a page; `pages.loop`, `pages.limit`, `value.too_large`, `storage.*`: all items, or an
    ///   error.
    func result(in context: OperationContext) async throws -> OperationResult {
        if let target = pages.target { return try await file(target, in: context) }
        var items = GatheredList(of: references.name)
        try await runAll(in: context) { number, ending, _ in
            items.append(try await gathered(from: ending, ofPage: number, room: items.next))
        }
        return items.result
    }

    /// Runs one page after the other.
    /// - Parameters:
    ///   - before: the number of pages before the first one.
    ///   - file: takes the items of each.
    ///   - written: a page that is in the file and has not come to its end.
    ///   - take: told the number, the ending and the notes of each page that succeeded.
    private func runAll(
        in context: OperationContext, after before: Int = 0, into file: PageFile? = nil,
        written: WrittenPage? = nil,
        _ take: (Int, OperationEnding, [String: JSONValue]) async throws -> Void
    ) async throws {
        let inner = InnerRun(compiler: compiler, context: context)
        var position = pages.rule.next.first
        var seen = SeenPositions(digests: context.core.environment.digests)
        let wait = pages.wait.map(RetrySpec.Backoff.fixed)
        try await RepeatLoop(times: nil, wait: wait, first: before + 1).execute(in: context) {
            number throws(AOperationError) in
            guard number - before <= pages.limit else { throw tooMany }
            return pages.page(at: position, into: file)
        } run: { number, page in
            let (ending, notes) =
                if let written, written.number == number {
                    (try await inner.end(at: path(number), with: written.result), written.notes)
                } else {
                    try await inner.ending(
                        of: page, at: references.place, path: path(number),
                        noted: [NoteName.next, NoteName.lines])
                }
            if ending.state != .succeeded { _ = try ending.passedOn() }
            try await take(number, ending, notes)
            guard let next = notes.nextPage, next != .null else { return false }
            guard seen.insert(next) else { throw loop(at: number) }
            position = next
            return true
        }
    }

    private func path(_ number: Int) -> [String] { references.path + [String(number)] }

    // MARK: A list

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

    // MARK: A file

    private func file(_ target: ArtifactSpec, in context: OperationContext) async throws -> OperationResult {
        guard let place = context.artifacts else {
            throw AOperationError(.storage, detail: "There is no place here where content could be kept.")
        }
        let (file, before, written) = try await opened(target, place, context)
        defer { file.release() }
        try await runAll(in: context, after: before, into: file, written: written) { _, _, notes in
            if let facts = PageFacts(note: notes[NoteName.lines]) { file.commit(facts.length) }
        }
        do {
            return try await file.finish(named: target.name(at: references.path, references.name))
        } catch {
            // Not an error when it was stopped while the file was read for its digest.
            try context.checkStop()
            throw error
        }
    }

    /// The file with the items of the stored pages; a new one when that is gone.
    /// - Returns: the file, the number of pages that are not in it, and the page in it that has not come to its end.
    private func opened(
        _ target: ArtifactSpec, _ place: any ArtifactPlace, _ context: OperationContext
    ) async throws -> (PageFile, before: Int, written: WrittenPage?) {
        let journal = context.core.environment.journal
        var starts = PageStarts(note: context.remembered(NoteName.starts))
        func file() -> PageFile {
            let name = "\(references.path.joined(separator: "/"))#\(starts.numbers.count + 1)"
            return PageFile(
                place: place, key: ArtifactKey(owner: context.seed, name: name), bytesMax: target.bytesMax)
        }
        let known = file()
        let (pages, length) = stored(after: starts.last, journal)
        if let page = WrittenPage(number: pages + 1, journal?.history(of: path(pages + 1))),
            let digests = context.core.environment.digests,
            await known.open(at: length, with: page.facts, digests)
        {
            return (known, starts.last, page.behind(length))
        }
        if try await known.open(at: length) { return (known, starts.last, nil) }
        var number = starts.last
        while journal?.history(of: path(number + 1)) != nil { number += 1 }
        starts.begin(after: number)
        try await context.remember(starts.note, as: NoteName.starts)
        let anew = file()
        guard try await anew.open(at: 0) else {
            throw AOperationError(.storage, detail: "The file of the items cannot be emptied.")
        }
        return (anew, number, nil)
    }

    /// The number of the last stored page, and the length of the file with it.
    private func stored(after before: Int, _ journal: (any OperationJournal)?) -> (pages: Int, length: Int) {
        var (number, length) = (before, 0)
        while let history = journal?.history(of: path(number + 1)), history.ending?.state == .succeeded,
            let facts = PageFacts(note: history.notes[NoteName.lines])
        {
            (number, length) = (number + 1, facts.length)
        }
        return (number, length)
    }

    // MARK: Errors

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

/// A page that an earlier run has written to the file, and that had not come to its end.
private struct WrittenPage: Sendable {
    let number: Int
    let facts: PageFacts
    private(set) var bytes = 0
    let notes: [String: JSONValue]

    /// - Returns: nil when it has not come so far, or has ended.
    init?(number: Int, _ history: OperationHistory?) {
        guard let history, history.ending == nil, let facts = PageFacts(note: history.notes[NoteName.lines])
        else { return nil }
        (self.number, self.facts, notes) = (number, facts, history.notes)
    }

    /// The page behind the stored ones.
    func behind(_ length: Int) -> WrittenPage {
        var page = self
        page.bytes = facts.length - length
        return page
    }

    var result: OperationResult { facts.result(bytes: bytes) }
}
