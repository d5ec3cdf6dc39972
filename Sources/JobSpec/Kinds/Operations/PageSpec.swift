internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The parts of a page that are read.
package struct PageRule: Sendable, Hashable {
    /// The way to the next page.
    package var next: NextPage
    /// The place of the items.
    package var items = Gathering()
    /// Ends the list with the page that satisfies it.
    package var until: JSONPredicate?
}

/// The call of one page. It is no kind of its own: in lists it is a call as any other.
struct PageSpec: OperationWork {
    /// The call of the first page.
    let call: NetworkSpec
    let rule: PageRule
    /// The position of this page: the URL, the cursor, or the number; nil for a first page without.
    var position: JSONValue?
    /// The file that its items go to; nil keeps its content as its result.
    var file: PageFile?

    var type: String { NetworkSpec.name }
    var outgoingCall: NetworkSpec? { positioned }
    var planWords: [String] { positioned.planWords }

    /// The URL from the page before, which is called instead; nil for a page that is a call of the spec.
    var followed: String? {
        switch rule.next {
        case .link, .url: position?.string
        case .cursor, .page, .offset: nil
        }
    }

    /// The call with the position in it.
    private var positioned: NetworkSpec {
        guard let position else { return call }
        var call = call
        switch rule.next {
        case .link, .url: break
        case .cursor(_, .json(let place)):
            if let content = call.body?.json?.setting(position, at: place.tokens[...]) {
                call.body = .json(content)
            }
        case .cursor(_, .query(let name)), .page(let name, _), .offset(let name, _):
            call.query.removeAll { $0.name.hasSameBytes(as: name) }
            call.query.append(.init(name: name, value: .literal(position)))
        }
        return call
    }

    func isPlain(in operation: OperationSpec) -> Bool { call.isPlain(in: operation) }

    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
        try await positioned.approvalSubject(in: context, references)
    }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        PageOperation(
            name: spec.name, page: self, call: positioned, expect: spec.expect ?? Expectation(),
            references: references, budget: compiler.budget
        ).recipe(retry: spec.retry ?? .standard)
    }
}

extension Binding {
    /// The value with `value` at a place, which is made as far as objects are missing; nil when a value is in the way.
    func setting(_ value: JSONValue, at place: ArraySlice<String>) -> Binding? {
        guard let token = place.first else { return .literal(value) }
        switch self {
        case .object(var entries):
            guard let index = entries.firstIndex(where: { $0.name.hasSameBytes(as: token) }) else {
                let inner = Binding.literal(.object(JSONObject())).setting(value, at: place.dropFirst())
                return inner.map { .object(entries + [.init(name: token, value: $0)]) }
            }
            guard let inner = entries[index].value.setting(value, at: place.dropFirst()) else { return nil }
            entries[index].value = inner
            return .object(entries)
        case .array(var parts):
            guard let index = Int(token), parts.indices.contains(index),
                let inner = parts[index].setting(value, at: place.dropFirst())
            else { return nil }
            parts[index] = inner
            return .array(parts)
        case .literal(.object(let object)):
            let entries = object.members.map { NetworkSpec.Entry(name: $0.name, value: .literal($0.value)) }
            return Binding.object(entries).setting(value, at: place)
        case .literal(.array(let elements)):
            return Binding.array(elements.map(Binding.literal)).setting(value, at: place)
        case .literal, .get, .text: return nil
        }
    }
}
