internal import JobKit
import StrictJSON

/// The stored form of messages: `{"kind": "<word>", "by": …, …}`.
extension JobMessage {
    private enum Word: String {
        case signal, content, report, approval, member, hold, release
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("kind")
        switch content {
        case .signal(let name, let value):
            writer.value(Word.signal.rawValue)
            writer.member("name", name)
            writer.member("value", value)
        case .content(let name, let content):
            writer.value(Word.content.rawValue)
            writer.member("name", name)
            writer.name("content")
            content.write(to: &writer)
        case .report(let report):
            writer.value(Word.report.rawValue)
            report.write(to: &writer)
        case .approval(let id, let isApproved, let comment):
            writer.value(Word.approval.rawValue)
            writer.member("id", id)
            writer.member("approved", isApproved)
            writer.member("comment", ifKnown: comment)
        case .member(let group, let spec):
            writer.value(Word.member.rawValue)
            writer.member("group", group)
            writer.member("spec", spec)
        case .hold(let reason):
            writer.value(Word.hold.rawValue)
            writer.member("reason", ifKnown: reason)
        case .release:
            writer.value(Word.release.rawValue)
        }
        writer.member("by", by)
        writer.endObject()
    }

    init(json: JSONValue) throws(StoredFormError) {
        let stored = try StoredObject(json, as: "message")
        let word: Word = try stored.require(try stored.word("kind"), "kind")
        let content: Content =
            switch word {
            case .signal:
                .signal(
                    name: try stored.require(try stored.string("name"), "name"),
                    value: stored.members["value"] ?? .null)
            case .content:
                .content(
                    name: try stored.require(try stored.string("name"), "name"),
                    try OperationResult(stored: try stored.require(stored.value("content"), "content")))
            case .report: .report(try JobReport(stored))
            case .approval:
                .approval(
                    id: try stored.require(try stored.string("id"), "id"),
                    isApproved: try stored.require(try stored.bool("approved"), "approved"),
                    comment: try stored.string("comment"))
            case .member:
                .member(
                    group: try stored.strings("group"),
                    spec: try stored.require(stored.value("spec"), "spec"))
            case .hold: .hold(reason: try stored.string("reason"))
            case .release: .release
            }
        self.init(by: try stored.require(try stored.string("by"), "by"), content: content)
    }
}

/// The members of a report in its message: `path`, `round`, `code` and `detail` of a failure, `content`.
extension JobReport {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("path", place.path)
        writer.member("round", place.round)
        if let failure {
            writer.member("code", failure.code)
            writer.member("detail", ifKnown: failure.detail)
        }
        writer.name("content")
        content.write(to: &writer)
    }

    fileprivate init(_ stored: StoredObject) throws(StoredFormError) {
        let failure = try stored.string("code").map { code throws(StoredFormError) in
            Failure(code: code, detail: try stored.string("detail"))
        }
        self.init(
            place: CallbackPlace(
                path: try stored.strings("path"), round: try stored.require(try stored.int("round"), "round")),
            failure: failure,
            content: try OperationResult(stored: try stored.require(stored.value("content"), "content")))
    }
}
