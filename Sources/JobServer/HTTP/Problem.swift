import HTTPMessage
import JobKit
import StrictJSON

/// Why a request was not fulfilled, as RFC 9457 says it.
struct Problem: Error, Sendable {
    /// Which kind.
    var kind: ProblemKind
    /// What happened this time and what to do, for people.
    var detail: String
    /// A more special code than the kind's.
    var code: String?
    /// Each single thing that is wrong.
    var items: [Item] = []
    /// Further fields of the answer, such as `Allow` and `Retry-After`.
    var fields: [(name: String, value: String)] = []
    /// Further members of the body: the name, and the bytes of a JSON value.
    var members: [(name: String, value: [UInt8])] = []

    /// One thing that is wrong.
    struct Item: Sendable, Hashable {
        /// Where: a JSON Pointer (RFC 6901) into the body, or the name of a query parameter.
        var pointer: String
        /// The stable dotted code.
        var code: String
        /// What is wrong.
        var detail: String
        /// What to write instead, when that is known.
        var suggestion: String?
    }

    /// A problem.
    init(_ kind: ProblemKind, _ detail: String, items: [Item] = []) {
        self.kind = kind
        self.detail = detail
        self.items = items
    }

    /// The same with one more field in the answer.
    func field(_ name: String, _ value: String) -> Problem {
        var copy = self
        copy.fields.append((name, value))
        return copy
    }

    /// The same with one more member in the body.
    func member(_ name: String, _ value: [UInt8]) -> Problem {
        var copy = self
        copy.members.append((name, value))
        return copy
    }

    /// The answer. `instance` is the path that was asked for, when that could be read.
    func response(requestID: String, instance: ArraySlice<UInt8>?) -> HTTPResponse {
        let entry = ProblemCatalog.entry(kind)
        var answer = HTTPFields()
        answer.add("Content-Type", "application/problem+json")
        for field in fields { answer.add(field.name, field.value) }
        if entry.retryable, answer["Retry-After"] == nil { answer.add("Retry-After", "1") }
        if kind == .unauthenticated { answer.add("WWW-Authenticate", "Bearer realm=\"jobserver\"") }
        return HTTPResponse(
            status: HTTPStatus(entry.status), fields: answer,
            body: .bytes(body(entry, requestID: requestID, instance: instance)))
    }

    /// The problem as JSON, for an answer that is about several requests at once.
    func json(requestID: String) -> [UInt8] {
        body(ProblemCatalog.entry(kind), requestID: requestID, instance: nil)
    }

    private func body(_ entry: ProblemEntry, requestID: String, instance: ArraySlice<UInt8>?) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "/v1/problems/" + kind.rawValue)
        json.member("title", entry.title)
        json.member("status", Int64(entry.status))
        json.member("detail", detail)
        if let instance { json.member("instance", String(decoding: instance, as: UTF8.self)) }
        json.member("code", code ?? entry.code)
        json.member("request_id", requestID)
        json.member("retryable", entry.retryable)
        json.name("errors")
        json.beginArray()
        for item in items {
            json.beginObject()
            json.member("pointer", item.pointer)
            json.member("code", item.code)
            json.member("detail", item.detail)
            if let suggestion = item.suggestion { json.member("suggestion", suggestion) }
            json.endObject()
        }
        json.endArray()
        for member in members {
            json.name(member.name)
            json.raw(member.value)
        }
        json.endObject()
        return json.line()
    }
}
