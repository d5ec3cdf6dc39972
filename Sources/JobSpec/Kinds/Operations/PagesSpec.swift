internal import JobKit
internal import StrictJSON

/// Fetches all pages of a list, one after the other. The pages are its children `1`, `2`, ….
package struct PagesSpec: Sendable, Hashable {
    /// The upper limit of pages: 10,000.
    package static let pagesMax = 10_000
    /// The default limit of pages.
    package static let pagesDefault = 1_000

    /// The call of the first page, as an operation.
    package var page: OperationSpec
    /// The parts of a page that are read.
    package var rule: PageRule
    /// The limit of pages, 1…10,000.
    package var limit = PagesSpec.pagesDefault
    /// The wait between two pages; nil does not wait.
    package var wait: Duration?
    /// The file that the items go to, one a line; nil has them as a list.
    package var target: ArtifactSpec?
}

extension PagesSpec: BuiltInKind {
    static let name = "pages"
    static let members: [any KindMember] = [
        CallReader.requestMember, CallReader.connectionMember, CallReader.expectMember,
        CallReader.retryMember, CallReader.targetMember, nextMember, itemsMember, untilMember, limitMember,
        PauseMembers.every,
    ]
    private static let nextMember = RequiredMember<NextPage>(
        "next", SpecForm { NextPage.read($1, &$0) }, remedy: "Say how a page leads to the next one.",
        suggestion: #""next": "link""#)
    private static let itemsMember = OptionalMember<Gathering>(
        "items", SpecForm { GatheringReader.place($1, &$0) })
    private static let untilMember = OptionalMember("until", .predicate(on: .result))
    private static let limitMember = DefaultedMember<Int>(
        "max_pages", SpecForm { $0.int($1, in: 1...pagesMax) }, default: pagesDefault)
    static let makesCalls = true

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> PagesSpec? {
        let call = CallReader(scope).read(object, &draft, &reading)
        let next = nextMember.read(object, scope, &reading)
        let items = itemsMember.read(object, scope, &reading)
        let until = untilMember.read(object, scope, &reading)
        let limit = limitMember.read(object, scope, &reading)
        let wait = PauseMembers.every.read(object, scope, &reading)
        guard var call, let next else { return nil }
        // The file has the items of all pages, and not the content of one.
        let target = object[CallReader.targetMember.name] == nil ? nil : call.target
        call.target = ArtifactSpec()
        reading.inside("request") { check(call, next, &$0) }
        let rule = PageRule(next: next, items: items ?? Gathering(), until: until)
        var page = OperationSpec(PageSpec(call: call, rule: rule, position: next.first), name: draft.name)
        // The clock of all pages together is that of the operation; everything else is about each call.
        page.retry = draft.retry
        page.expect = draft.expect
        page.sources = draft.sources.filter { $0.key != OperationSpec.timeoutName }
        (draft.retry, draft.expect) = (nil, nil)
        draft.sources = draft.sources.filter { $0.key == OperationSpec.timeoutName }
        return PagesSpec(page: page, rule: rule, limit: limit, wait: wait, target: target)
    }

    private static func check(
        _ call: NetworkSpec, _ next: NextPage, _ reading: inout SpecReading
    ) {
        if call.isConditional {
            reading.note(
                member: "conditional", .conflict,
                "All pages are needed; \"conditional\" is for a call that is made once. Leave it out.")
        }
        if case .fixed = call.idempotencyKey {
            reading.note(
                member: "idempotency_key", .conflict,
                "With one key for all pages the upstream may answer each with the first one. Leave it out, or let each "
                    + "page have its own.",
                suggestion: "auto")
        }
        if let name = next.parameter, call.urlHas(parameter: name) {
            reading.note(
                member: "url", .conflict,
                "The URL has the parameter \"\(String(quotable: name))\", which \"next\" sets. Leave it out of the URL."
            )
        }
        guard case .cursor(_, .json(let place)) = next else { return }
        if call.body?.json?.setting(.null, at: place.tokens[...]) == nil {
            reading.note(
                member: "json", .conflict,
                "The cursor is to be put at \(String(quotable: place.description)) of \"json\", "
                    + "which has no room for it there. Let \"json\" be an object.",
                suggestion: #""json": {}"#)
        }
    }

    var copied: OperationSpec? { page }

    var planWords: [String] {
        var words = [rule.next.planWords]
        if rule.items != Gathering() { words.append("items in \(rule.items.at)") }
        if let wait { words.append("every \(DurationText.text(wait))") }
        words.append("at most \(limit) pages")
        if let target { words.append("to \(target.name ?? "a file")") }
        return words
    }

    /// One page after the other. Pages before a restart are taken from the journal.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            try await PagesRun(pages: self, compiler: compiler, references: references).result(in: context)
        }
        recipe.settings.grace = nil
        return recipe
    }

    /// The request of the first page.
    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
        try await page.kind.work.approvalSubject(in: context, references)
    }

    /// The operation of the page at a position, whose items go into a file.
    func page(at position: JSONValue?, into file: PageFile? = nil) -> OperationSpec {
        guard var work = page.kind.work as? PageSpec else { return page }
        var page = page
        work.position = position ?? work.position
        work.file = file
        page.kind = OperationSpec.Kind(work)
        return page
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        let starts = Set(
            PageStarts(note: past.histories[references.path]?.notes[NoteName.starts]).numbers)
        var pages: [PlacedOperation] = []
        var position = rule.next.first
        while true {
            let path = references.path + [String(pages.count + 1)]
            guard let history = past.histories[path] else { break }
            pages.append(PlacedOperation(spec: page(at: position), place: references.place, path: path))
            if starts.contains(pages.count) {
                position = rule.next.first
            } else {
                guard let next = history.notes.nextPage, next != .null else { break }
                position = next
            }
        }
        return pages
    }
}

extension NetworkSpec {
    /// Whether the URL, as written, has a parameter of this name in its query.
    fileprivate func urlHas(parameter name: String) -> Bool {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        let query = url.utf8[mark...].dropFirst().prefix { $0 != UInt8(ascii: "#") }
        return query.split(separator: UInt8(ascii: "&")).contains { pair in
            pair.prefix { $0 != UInt8(ascii: "=") }.elementsEqual(name.utf8)
        }
    }
}

extension NetworkSpec.Body {
    /// The JSON content; nil for any other.
    var json: Binding? { if case .json(let binding) = self { binding } else { nil } }
}
