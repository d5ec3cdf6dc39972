internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// What is known about the content that a download has begun to fetch. It is noted when the content begins; how much
/// of it is durable is noted apart, now and then.
struct DownloadPast: Sendable {
    /// The names of the notes. The first character keeps them over a person's retry.
    static let headNote = "$download"
    static let doneNote = "$partial"

    /// Which beginning it is, from 1. Each has a file of its own, so that nothing of another content can be in it.
    var run: Int
    /// What the first answer said of the whole: status, fields, content type.
    var head: OperationResult
    /// What the content is told by in `If-Range`: a strong entity tag or a date; nil when a part cannot be asked for.
    var validator: String?
    /// How long the whole is; nil when nobody said.
    var total: Int?

    /// The beginning of content with this answer.
    init(run: Int, status: Int, fields: [(name: String, value: String)]) {
        self.run = run
        let answer = HTTPCallAnswer(status: status, fields: fields, body: [], exchange: HTTPCallExchange())
        head = OperationResult(answer: answer)
        let coding = answer.field("content-encoding")
        head.contentCoding = coding?.lowercased() == "identity" ? nil : coding
        validator = Self.validator(of: answer)
        total = answer.field("content-length").flatMap { Int($0) }.flatMap { $0 < 0 ? nil : $0 }
    }

    /// A strong tag, or else a date that is strong: the content was a minute old when it was sent (RFC 9110 §8.8.2.2).
    private static func validator(of answer: HTTPCallAnswer) -> String? {
        if let text = answer.field("etag") {
            guard let tag = EntityTag(text), !tag.isWeak else { return nil }
            return tag.description
        }
        guard let text = answer.field("last-modified"), let modified = HTTPDate(text),
            let sent = answer.field("date").flatMap({ HTTPDate($0) }),
            sent.secondsSince1970 - modified.secondsSince1970 >= 60
        else { return nil }
        return text
    }

    /// Whether an answer with these fields is about the same content, as far as it says.
    func isSame(_ fields: [(name: String, value: String)]) -> Bool {
        guard let validator, validator.hasPrefix("\""),
            let text = fields.first(where: { $0.name.lowercased() == "etag" })?.value
        else { return true }
        return text == validator
    }

    // MARK: The notes

    /// The note of the beginning.
    var note: JSONValue {
        var writer = JSONWriter()
        head.write(to: &writer)
        var object = JSONObject()
        object["run"] = .number(JSONNumber(Int64(run)))
        object["head"] = (try? JSONParser.parse(writer.bytes)) ?? .null
        if let validator { object["validator"] = .string(validator) }
        if let total { object["total"] = .number(JSONNumber(Int64(total))) }
        return .object(object)
    }

    /// The note that so much is durable, and whether stars are in the place of secrets in it.
    func note(done: Int, hasHidden: Bool) -> JSONValue {
        var object = JSONObject([
            ("run", .number(JSONNumber(Int64(run)))), ("done", .number(JSONNumber(Int64(done)))),
        ])
        if hasHidden { object["hidden"] = .bool(true) }
        return .object(object)
    }

    /// What was noted; nil when nothing was that can be read.
    init?(note: JSONValue?) {
        guard let object = note?.object, let run = object["run"]?.number?.int, run >= 1,
            let stored = object["head"], let head = try? OperationResult(stored: stored)
        else { return nil }
        self.run = run
        self.head = head
        validator = object["validator"]?.string
        total = object["total"]?.number?.int
    }

    /// How much of this content was noted to be durable.
    func done(in note: JSONValue?) -> Int {
        guard let object = note?.object, object["run"]?.number?.int == run,
            let done = object["done"]?.number?.int
        else { return 0 }
        return max(0, done)
    }

    /// Whether stars were noted to be in the place of secrets in this content.
    func hasHidden(in note: JSONValue?) -> Bool {
        guard let object = note?.object, object["run"]?.number?.int == run else { return false }
        return object["hidden"] == .bool(true)
    }
}
