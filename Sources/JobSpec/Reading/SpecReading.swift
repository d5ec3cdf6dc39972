internal import JobKit
internal import StrictJSON

/// One pass over a spec: the current position, and the problems found so far.
///
/// The document is walked once. An invalid value is reported and replaced by a harmless one, so that the rest is still
/// checked; the typed spec is used only without problems.
struct SpecReading: ~Copyable {
    let limits: SpecLimits
    let now: Timestamp
    /// The length of the text that is being read: no part of it is longer.
    let textBytes: Int
    /// The types that are not built in; nil takes any, for specs that were accepted once.
    let kinds: OperationKinds?
    private(set) var problems: [SpecProblem] = []
    /// Whether there are more problems than are listed. From then on nothing more is read.
    private(set) var isCut = false
    private var problemBytes = 0
    /// The budget that it shares with the readings of templates inside.
    var account: SpecAccount
    /// References that were read and not yet found in a group.
    var references: [PendingReference] = []
    /// The number of operations that were read.
    var operationCount = 0
    /// The parameters of the template that is being read; nil when it is no template.
    let parameters: ParameterNames?
    /// Finds templates; nil where they cannot be used.
    let templates: TemplateLookup?
    /// Whether `$hook` takes values of a delivery here.
    var takesHook = false
    /// Whether what is read belongs to the job of a hook, whose senders may not choose where it calls.
    var isOfHook = false
    private var path = SpecReading.emptyPath

    private enum Step {
        case name(String)
        case index(Int)
    }

    init(
        limits: SpecLimits, now: Timestamp, kinds: OperationKinds? = OperationKinds.none,
        parameters: ParameterNames? = nil,
        templates: TemplateLookup? = nil, textBytes: Int = .max
    ) {
        account = SpecAccount(suggestionSteps: limits.suggestionStepsMax)
        self.limits = limits
        self.now = now
        self.kinds = kinds
        self.parameters = parameters
        self.templates = templates
        self.textBytes = textBytes
    }

    /// With capacity for all but the deepest positions.
    private static var emptyPath: [Step] {
        var path: [Step] = []
        path.reserveCapacity(12)
        return path
    }

    /// The address of the value that is being read.
    var pointer: JSONPointer {
        JSONPointer(
            tokens: path.map { step in
                switch step {
                case .name(let name): name
                case .index(let index): String(index)
                }
            })
    }

    mutating func enter(_ name: String) { path.append(.name(name)) }
    mutating func enter(_ index: Int) { path.append(.index(index)) }
    mutating func leave() { path.removeLast() }

    /// Reads something one step further inside.
    mutating func inside<Value>(_ name: String, _ read: (inout SpecReading) -> Value) -> Value {
        enter(name)
        defer { leave() }
        return read(&self)
    }

    /// Reports a problem of the current value.
    mutating func note(
        _ code: SpecProblemCode, _ detail: String, suggestion: String? = nil, allowed: [String] = []
    ) {
        note(at: pointer, code, detail, suggestion: suggestion, allowed: allowed)
    }

    /// Reports a problem of a member of the current value.
    mutating func note(
        member name: String, _ code: SpecProblemCode, _ detail: String, suggestion: String? = nil
    ) {
        note(at: pointer.appending(name), code, detail, suggestion: suggestion)
    }

    mutating func note(
        at pointer: JSONPointer, _ code: SpecProblemCode, _ detail: String, suggestion: String? = nil,
        allowed: [String] = []
    ) {
        add(
            SpecProblem(
                pointer: pointer, code: code.rawValue, detail: detail, suggestion: suggestion,
                allowed: allowed))
    }

    /// Reports a problem whose position is relative to the current value.
    mutating func note(_ problem: SpecProblem) {
        var problem = problem
        problem.pointer = pointer.appending(problem.pointer)
        add(problem)
    }

    private mutating func add(_ problem: SpecProblem) {
        if isCut { return }
        let bytes = problem.byteCount
        let isRoom = problems.isEmpty || bytes <= limits.problemBytesMax - problemBytes
        guard isRoom, !isFull else { return isCut = true }
        problemBytes += bytes
        problems.append(problem)
    }

    /// Notes that there are more problems than those that were reported.
    mutating func noteMore() { isCut = true }

    /// Whether no further problem is listed, so that none needs a suggestion.
    var isFull: Bool { problems.count >= limits.problemsMax || problemBytes >= limits.problemBytesMax }

    /// The known name that `name` probably means. Nil, too, when no further problem is listed, or when all suggestions
    /// together have taken enough steps.
    mutating func nearest<Names: Sequence<String>>(
        to name: String, in known: @autoclosure () -> Names
    ) -> String? {
        if isFull { return nil }
        return SpellingSuggestion.nearest(to: name, in: known(), steps: &account.suggestionSteps)
    }

    /// See `SpecSynonyms.suggestion`, and `nearest` for its limit.
    mutating func suggestion(for word: String, value: JSONValue? = nil, in known: [String]) -> String? {
        if isFull { return nil }
        return SpecSynonyms.suggestion(for: word, value: value, in: known, steps: &account.suggestionSteps)
    }

    /// The names in a sentence: the first ones, and how many more there are.
    static func list(_ names: [String]) -> String {
        let more = names.count - listedMax
        let list = names.prefix(listedMax).joined(separator: ", ")
        return more > 0 ? "\(list) and \(more) more" : list
    }

    private static let listedMax = 40

    /// Records a reference from the current value to another operation.
    mutating func refer(to operation: String, hasFallback: Bool, _ scope: SpecScope) {
        references.append(
            PendingReference(
                operation: operation, hasFallback: hasFallback || scope.isRescued, pointer: pointer))
    }

    // MARK: Objects and lists

    /// Calls `read` for each member with the reading inside of it; what `read` does not know is a problem.
    mutating func members(
        of value: JSONValue, _ subject: @autoclosure () -> String, known: @autoclosure () -> [String],
        _ read: (inout SpecReading, _ name: String, _ value: JSONValue) -> Bool
    ) {
        guard case .object(let object) = value else { return wrongType(value, "an object") }
        members(of: object, subject(), known: known(), read)
    }

    mutating func members(
        of object: JSONObject, _ subject: @autoclosure () -> String, known: @autoclosure () -> [String],
        _ read: (inout SpecReading, _ name: String, _ value: JSONValue) -> Bool
    ) {
        for member in object.members where !isCut {
            enter(member.name)
            if !read(&self, member.name, member.value) {
                unknownMember(member.name, member.value, subject(), known: known())
            }
            leave()
        }
    }

    /// Calls `read` for each element with the reading inside of it.
    mutating func elements(of value: JSONValue, _ read: (inout SpecReading, _ value: JSONValue) -> Void) {
        guard case .array(let elements) = value else { return wrongType(value, "a list") }
        for (index, element) in elements.enumerated() where !isCut {
            enter(index)
            read(&self, element)
            leave()
        }
    }

    private mutating func unknownMember(
        _ name: String, _ value: JSONValue, _ subject: String, known: [String]
    ) {
        note(
            .unknownMember,
            "\(subject) has no member \"\(String(quotable: name))\". There are: \(Self.list(known)).",
            suggestion: suggestion(for: name, value: value, in: known), allowed: known)
    }

    mutating func missing(_ name: String, _ detail: String, suggestion: String? = nil) {
        note(.missingMember, "\"\(name)\" is missing. \(detail)", suggestion: suggestion)
    }

    // MARK: Simple values

    /// - Parameter remedy: a further sentence.
    mutating func wrongType(
        _ value: JSONValue, _ expected: String, suggestion: String? = nil, remedy: String? = nil
    ) {
        let detail = "Expected \(expected), not \(value.kindName)."
        note(.wrongType, remedy.map { "\(detail) \($0)" } ?? detail, suggestion: suggestion)
    }

    mutating func string(_ value: JSONValue, _ expected: @autoclosure () -> String = "a string") -> String? {
        if case .string(let text) = value { return text }
        wrongType(value, expected())
        return nil
    }

    /// A string of `range` bytes.
    mutating func string(_ value: JSONValue, bytes range: ClosedRange<Int>) -> String? {
        guard let text = string(value) else { return nil }
        guard range.contains(text.utf8.count) else {
            note(
                .outOfRange,
                "The text has \(text.utf8.count) bytes; allowed are \(range.lowerBound) to \(range.upperBound)."
            )
            return nil
        }
        return text
    }

    /// A key that clients choose, which has no control characters.
    mutating func key(_ value: JSONValue) -> String? {
        guard let key = string(value, bytes: 1...255) else { return nil }
        // Exclusive keys were accepted with them.
        if kinds != nil, !FieldText.isValue(key) { note(.outOfRange, "A key has no control characters.") }
        return key
    }

    mutating func bool(_ value: JSONValue) -> Bool? {
        if case .bool(let flag) = value { return flag }
        wrongType(value, "true or false")
        return nil
    }

    /// One of the words of a closed list.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ value: JSONValue, _: Word.Type = Word.self
    ) -> Word? {
        if case .string(let text) = value, let word = Word(rawValue: text) { return word }
        return word(value, of: Word.allCases.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }

    /// One of `words`.
    mutating func word(_ value: JSONValue, of words: [String]) -> String? {
        if case .string(let text) = value, words.contains(where: text.hasSameBytes) { return text }
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        guard let text = string(value, "one of \(list)") else { return nil }
        note(
            .unknownWord, "\"\(String(quotable: text))\" is not one of \(list).",
            suggestion: SpecSynonyms.word(for: text, in: words) ?? nearest(to: text, in: words),
            allowed: words)
        return nil
    }

    // MARK: Times

    /// A duration from `least` to `most`.
    mutating func duration(_ value: JSONValue, atLeast least: Duration, atMost most: Duration) -> Duration? {
        guard case .string(let text) = value else {
            let seconds = value.number?.int.flatMap { $0 >= 0 ? "\($0)s" : nil }
            note(
                .badDuration,
                "A duration is a text with a unit such as \"90s\" or \"PT1H30M\", not \(value.kindName).",
                suggestion: seconds)
            return nil
        }
        do {
            let duration = try DurationText.parse(text)
            if duration >= least && duration <= most { return duration }
            let lower = least > .zero ? "more than zero" : "zero or more"
            note(.outOfRange, "Allowed is \(lower) and at most \(DurationText.text(most)).")
        } catch {
            note(.badDuration, error.detail, suggestion: error.suggestion)
        }
        return nil
    }

    /// A positive duration.
    mutating func interval(_ value: JSONValue, atMost most: Duration) -> Duration? {
        duration(value, atLeast: .nanoseconds(1), atMost: most)
    }

    mutating func time(_ value: JSONValue) -> Timestamp? {
        guard let text = string(value, "an RFC 3339 time such as \"2026-11-21T10:00:00Z\"") else {
            return nil
        }
        do {
            return try Timestamp.parse(text)
        } catch {
            note(.badTime, error.detail)
            return nil
        }
    }

    /// A timestamp not farther away than the longest wait. A past one is permitted.
    mutating func nearTime(_ value: JSONValue) -> Timestamp? { nearTime(value, within: limits.waitMax) }

    /// A timestamp at most so far away. A past one is permitted.
    mutating func nearTime(_ value: JSONValue, within most: Duration) -> Timestamp? {
        guard let time = time(value) else { return nil }
        return near(time, within: most)
    }

    /// `time`, unless it is farther away.
    mutating func near(_ time: Timestamp, within most: Duration) -> Timestamp? {
        if time <= now.advanced(by: most) { return time }
        note(.outOfRange, "The time is more than \(most.components.seconds / 86_400) days away.")
        return nil
    }

    // MARK: Names

    /// A name of the form `[a-z][a-z0-9_-]{0,62}`. One of another form is reported and returned.
    mutating func name(_ value: JSONValue) -> String? {
        guard let text = value.string else {
            let named = value.object?["name"]?.string.flatMap { Self.isName($0) ? "\"\($0)\"" : nil }
            wrongType(value, "a name", suggestion: named)
            return nil
        }
        if !Self.isName(text) {
            note(
                .badName,
                "A name begins with a letter a to z and has at most 63 letters a to z, digits, "
                    + "\"_\" and \"-\".",
                suggestion: Self.nameLike(text))
        }
        return text
    }

    static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, first &- 0x61 < 26, bytes.count <= 63 else { return false }
        return bytes.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x5F || $0 == 0x2D }
    }

    /// The nearest text that is a name.
    private static func nameLike(_ text: String) -> String? {
        let name = text.utf8.prefix(63).map { (byte: UInt8) -> UInt8 in
            let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
            let isKept = lower &- 0x61 < 26 || lower &- 0x30 < 10 || lower == 0x2D
            return isKept ? lower : UInt8(ascii: "_")
        }
        let text = String(decoding: name.drop { $0 &- 0x61 >= 26 }, as: UTF8.self)
        return isName(text) ? text : nil
    }

    /// A word with its article, as the beginning of a sentence.
    static func withArticle(_ word: String) -> String {
        let isVowel = word.utf8.first.map { "aeiou".utf8.contains($0) } ?? false
        return (isVowel ? "An " : "A ") + word
    }
}
