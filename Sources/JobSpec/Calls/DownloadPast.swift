internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The facts about partially fetched content. They are recorded when the content begins; its durable length is recorded
/// separately, now and then.
struct DownloadPast: Sendable {
    /// The names of the notes. The first character keeps them over a person's retry.
    static let headNote = "$download"
    static let doneNote = "$partial"

    /// The number of the download's current start, from 1. Each has a separate file, so that contents cannot mix.
    var run: Int
    /// The first answer: status, fields, content type.
    var head: OperationResult
    /// The validator for `If-Range`: a strong entity tag or a date; nil when ranges are impossible.
    var validator: String?
    /// The length of the whole content; nil when unknown.
    var total: Int?

    /// Creates the facts from the first answer.
    init(run: Int, status: Int, fields: [(name: String, value: String)]) {
        self.run = run
        let answer = HTTPCallAnswer(status: status, fields: fields, body: [], exchange: HTTPCallExchange())
        head = OperationResult(answer: answer)
        let coding = answer.field("content-encoding")
        head.contentCoding = ["identity", "none"].contains(coding?.lowercased()) ? nil : coding
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

    /// Whether the validators of an answer with these fields, if any, match the content.
    func isSame(_ fields: [(name: String, value: String)]) -> Bool {
        guard let validator, validator.utf8.first == UInt8(ascii: "\""),
            let text = fields.first(where: { $0.name.lowercased() == "etag" })?.value
        else { return true }
        return text.hasSameBytes(as: validator)
    }

    // MARK: The notes

    /// The note of the start.
    var note: JSONValue {
        var writer = JSONWriter()
        head.write(to: &writer)
        var object = JSONObject()
        object["run"] = .number(JSONNumber(Int64(run)))
        object["head"] = (try? JSONParser.parse(writer.bytes, limits: .written(writer.bytes))) ?? .null
        if let validator { object["validator"] = .string(validator) }
        if let total { object["total"] = .number(JSONNumber(Int64(total))) }
        return .object(object)
    }

    /// The note of the durable length, and whether secrets were replaced by stars in it.
    func note(done: Int, hasHidden: Bool) -> JSONValue {
        var object = JSONObject([
            ("run", .number(JSONNumber(Int64(run)))), ("done", .number(JSONNumber(Int64(done)))),
        ])
        if hasHidden { object["hidden"] = .bool(true) }
        return .object(object)
    }

    /// Decodes a note; nil when there is none or it is malformed.
    init?(note: JSONValue?) {
        guard let object = note?.object, let run = object["run"]?.number?.int, run >= 1,
            let stored = object["head"], let head = try? OperationResult(stored: stored)
        else { return nil }
        self.run = run
        self.head = head
        validator = object["validator"]?.string
        total = object["total"]?.number?.int
    }

    /// The recorded durable length of this content.
    func done(in note: JSONValue?) -> Int {
        guard let object = note?.object, object["run"]?.number?.int == run,
            let done = object["done"]?.number?.int
        else { return 0 }
        return max(0, done)
    }

    /// Whether secrets were replaced by stars in this content.
    func hasHidden(in note: JSONValue?) -> Bool {
        guard let object = note?.object, object["run"]?.number?.int == run else { return false }
        return object["hidden"] == .bool(true)
    }
}
