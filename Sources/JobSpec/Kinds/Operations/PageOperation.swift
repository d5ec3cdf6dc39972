internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Fetches one page, and notes the position of the next one with it.
struct PageOperation: Sendable {
    let name: String
    let page: PageSpec
    /// The call with the position in it.
    let call: NetworkSpec
    let expect: Expectation
    /// Answers references to other operations.
    let references: ReferenceReader
    let budget: RunBudget

    /// The call with its retry rule.
    func recipe(retry: RetrySpec) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(name) { context in
            try await self.execute(in: context)
        }
        let (followed, method) = (page.followed, HTTPMethod(call.method) ?? .get)
        recipe.settings = OperationSettings(
            calling: call, retry: retry, url: { followed ?? call.nextURL(references, in: $0) },
            repeats: { followed == nil ? method : .get })
        if let followed {
            recipe.settings.attemptLabel = ("GET", followed)
            recipe.settings.startsDurably = false
        }
        return recipe
    }

    private func execute(in context: OperationContext) async throws -> OperationResult {
        let references = references.attempt(in: context)
        let dispatch = try CallDispatch(call, by: references.board.services, in: context, references)
        var url = call.url
        let captured = try await context.capture(dispatch, of: name, staysInMemory: page.file != nil) {
            request in
            if let followed = page.followed { request = request.following(followed) }
            url = request.url
        }
        let (answer, result) = (captured.answer, captured.result)
        if let error = try await expect.check(captured, references) { throw error }
        let (rule, position, place) = (page.rule, page.position, references.board.artifacts)
        let hasLines = page.file != nil
        let digests = context.core.environment.digests
        let reading = try await references.evaluate { lookup throws(AOperationError) in
            var reading = try rule.reading(of: result, at: position, from: place, hasLines: hasLines, lookup)
            if hasLines { reading.digest = digests?.sha256(reading.lines) }
            return reading
        }
        let next: JSONValue
        switch reading.finding {
        case .end: next = .null
        case .position(let position): next = position
        case .url(let text): next = .string(try resolved(text, answer, dispatch, after: url))
        case .unusable(let why): throw unusable(why, answer)
        }
        try budget.keep(next.encodedCount(upTo: .max) ?? .max)
        guard let file = page.file else {
            context.note(next, as: NoteName.next)
            return result
        }
        // An attempt that was given up neither adds to the file of the next one nor says how long it is.
        try context.checkStop()
        let length = try file.length(with: reading.lines.count)
        let facts = PageFacts(
            items: reading.items, status: result.status, digest: reading.digest, length: length, next: next)
        try await context.remember(facts.note, as: NoteName.lines)
        try context.checkStop()
        try await file.append(reading.lines)
        try context.checkStop()
        return facts.result(bytes: reading.lines.count)
    }

    private func resolved(
        _ text: String, _ answer: HTTPCallAnswer, _ dispatch: CallDispatch, after url: String
    ) throws(AOperationError) -> String {
        do {
            let next = try URLReference.resolve(text, against: answer.exchange.effectiveURL ?? url)
            return dispatch.sentForm(of: next, after: url)
        } catch {
            throw unusable("The URL of the next page cannot be called: \(error.detail)", answer)
        }
    }

    private func unusable(_ why: String, _ answer: HTTPCallAnswer) -> AOperationError {
        AOperationError(
            .pagesNext, title: ErrorCode.pagesNext.title,
            detail: "\(why) Correct \"next\", or say with \"until\" which page is the last.", answer: answer)
    }
}

extension PageRule {
    /// The way on from a page.
    enum Finding: Sendable {
        /// It is the last one.
        case end
        /// The cursor or number of the next one.
        case position(JSONValue)
        /// The URL of the next one, as written.
        case url(String)
        /// There is something that leads nowhere, with a sentence about it.
        case unusable(String)
    }

    /// A page as far as the rule reads it.
    fileprivate struct Reading: Sendable {
        /// The way to the next one.
        var finding = Finding.end
        /// The number of its items.
        var items = 0
        /// The items as lines of JSON, when they go into a file, and the digest of these.
        var lines: [UInt8] = []
        var digest: [UInt8]?
    }

    /// The items of a page, and the position of the next one.
    /// - Parameters:
    ///   - position: its own position.
    ///   - hasLines: whether the items are made lines.
    /// - Throws: when it has no items, or what is looked at cannot be read: a page that says nothing is no last page.
    fileprivate func reading(
        of result: OperationResult, at position: JSONValue?, from place: (any ArtifactPlace)?, hasLines: Bool,
        _ lookup: Binding.Lookup
    ) throws(AOperationError) -> Reading {
        let use = max(items.bodyUse, until?.bodyUse ?? .none, next.bodyUse)
        let document = try result.document(with: use, from: place, lookup.meter)
        // No content is no items; other content that is not JSON is no page.
        if document.isOpaque, result.byteCount > 0, items.at.isInBody { throw document.hidden(items.at) }
        let values = try items.values(in: document, lookup.meter)
        var reading = Reading(items: values.count)
        if hasLines { reading.lines = try Self.lines(of: values, lookup.meter) }
        reading.finding = try finding(
            in: document, of: result, at: position, hasItems: !values.isEmpty, lookup)
        return reading
    }

    private static func lines(
        of values: [JSONValue], _ meter: StepMeter
    ) throws(AOperationError) -> [UInt8] {
        var budget = ValueBudget("A page, with a line for each item,", remedy: "Ask for smaller pages.")
        var lines: [UInt8] = []
        for value in values {
            try budget.take(value, meter)
            try budget.take(1)
            lines += value.encoded()
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    private func finding(
        in document: ResultDocument, of result: OperationResult, at position: JSONValue?, hasItems: Bool,
        _ lookup: Binding.Lookup
    ) throws(AOperationError) -> Finding {
        switch try until?.verdict(on: document, lookup: lookup) ?? .fails {
        case .holds: return .end
        case .unknown(let error): throw error
        case .fails: break
        }
        switch next {
        case .link: return Self.link(in: result)
        case .url(let at):
            let value = try found(at, in: document, lookup.meter)
            guard let value else { return .end }
            guard let text = value.string else {
                return .unusable("\(at) is \(value.kindName), and not the URL of the next page.")
            }
            return .url(text)
        case .cursor(let at, let target):
            return try found(at, in: document, lookup.meter).map { Self.cursor($0, at, target) } ?? .end
        case .page: return Self.moved(position, by: 1, isOver: !hasItems)
        case .offset(_, let by): return Self.moved(position, by: by, isOver: !hasItems)
        }
    }

    /// The value at a place; nil when it is absent, null or empty.
    private func found(
        _ at: JSONPointer, in document: ResultDocument, _ meter: StepMeter
    ) throws(AOperationError) -> JSONValue? {
        if document.hides(at) { throw document.hidden(at) }
        guard let value = try at.resolve(in: document.value, meter), value != .null else { return nil }
        if let text = value.string, text.utf8.isEmpty { return nil }
        return value
    }

    private static func link(in result: OperationResult) -> Finding {
        let values = result.headers.filter { $0.name.hasSameBytes(as: "link") }.map(\.value)
        do {
            return try LinkField.target(of: "next", in: values).map(Finding.url) ?? .end
        } catch {
            return .unusable("The field Link is no list of links.")
        }
    }

    private static func cursor(_ value: JSONValue, _ at: JSONPointer, _ target: NextPage.Target) -> Finding {
        if case .query = target {
            switch value {
            case .string, .number: break
            default: return .unusable("\(at) is \(value.kindName), which cannot be a parameter of a query.")
            }
        }
        guard value.encodedCount(upTo: RunLimits.urlBytesMax) != nil else {
            return .unusable("The cursor at \(at) has more than \(RunLimits.urlBytesMax >> 10) KiB.")
        }
        return .position(value)
    }

    private static func moved(_ position: JSONValue?, by count: Int, isOver: Bool) -> Finding {
        if isOver { return .end }
        return .position(.number(JSONNumber(Int64((position?.number?.int ?? 0) + count))))
    }
}

extension NextPage {
    /// The part of a page's content that it needs.
    fileprivate var bodyUse: OperationResult.BodyUse {
        switch self {
        case .link, .page, .offset: .none
        case .url(let at), .cursor(let at, _): .init(of: at)
        }
    }
}
