import HTTPMessage
import StrictJSON

/// A problem rendered in advance except for the parts that depend on the request, since an overload refuses many
/// requests for one reason at low cost.
final class PreparedProblem: Sendable {
    let problem: Problem
    var kind: ProblemKind { problem.kind }
    private let status: HTTPStatus
    private let fields: HTTPFields
    /// The body in pieces: before the instance, the same with its member name, between the instance and the request id,
    /// and after that.
    private let start, startWithInstance, middle, end: [UInt8]

    /// Renders everything that does not depend on the request.
    init(_ problem: Problem) {
        let entry = ProblemCatalog.entry(problem.kind)
        self.problem = problem
        status = HTTPStatus(entry.status)
        var fields: HTTPFields = ["Content-Type": "application/problem+json"]
        for field in problem.fields { fields.add(field.name, field.value) }
        if entry.retryable, fields["Retry-After"] == nil { fields.add("Retry-After", "1") }
        self.fields = fields
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "/v1/problems/" + problem.kind.rawValue)
        json.member("title", entry.title)
        json.member("status", Int64(entry.status))
        json.member("detail", problem.detail)
        let beforeInstance = json.bytes.count
        let instance = Self.leavePlace("instance", in: &json)
        json.member("code", problem.kind.code)
        let id = Self.leavePlace("request_id", in: &json)
        json.member("retryable", entry.retryable)
        json.name("errors")
        json.beginArray()
        for item in problem.items { item.write(to: &json) }
        json.endArray()
        for member in problem.members {
            json.name(member.name)
            json.raw(member.value)
        }
        json.endObject()
        let whole = json.line()
        start = Array(whole[..<beforeInstance])
        startWithInstance = Array(whole[..<instance.lowerBound])
        middle = Array(whole[instance.upperBound..<id.lowerBound])
        end = Array(whole[id.upperBound...])
    }

    /// Writes a member with an empty text and returns the range for the text.
    private static func leavePlace(_ name: String, in json: inout JSONWriter) -> Range<Int> {
        json.name(name)
        let start = json.bytes.count
        json.value("")
        return start..<json.bytes.count
    }

    /// The answer. `instance` is the requested path, if it could be parsed.
    func response(requestID: String, instance: ArraySlice<UInt8>?) -> HTTPResponse {
        var response = HTTPResponse(
            status: status, fields: fields, body: .bytes(body(requestID: requestID, instance: instance)))
        response.requestID = requestID
        return response
    }

    func body(requestID: String, instance: ArraySlice<UInt8>?) -> [UInt8] {
        let known = startWithInstance.count + middle.count + end.count
        var text = ByteText(capacity: known + (instance?.count ?? 0) + requestID.utf8.count + 4)
        if let instance {
            text.put(startWithInstance)
            text.put(quoted: instance)
        } else {
            text.put(start)
        }
        text.put(middle)
        text.put(quoted: requestID)
        text.put(end)
        return text.bytes
    }
}

extension Problem.Item {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member(place.member, place.text)
        json.member("code", code)
        json.member("detail", detail)
        if let suggestion { json.member("suggestion", suggestion) }
        if !allowed.isEmpty { json.member("allowed", .array(allowed.map { .string($0) })) }
        json.endObject()
    }
}
