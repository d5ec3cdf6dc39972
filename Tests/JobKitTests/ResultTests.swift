import JobKit
import StrictJSON
import Testing

@Suite struct `A result` {
    @Test(arguments: [
        ("application/json", true), ("Application/JSON", true), ("application/json; charset=utf-8", true),
        ("application/json;charset=utf-8", true), ("application/problem+json", true),
        ("application/vnd.example+JSON; v=2", true), ("text/plain", false), ("text/json", false), ("", false),
        ("xapplication/json", false), ("application/jsonp", false), ("application/json-seq", false),
        ("text/plain; as=application/json", false), ("json", false), ("APPLICATION/JSON\u{E9}", false),
    ])
    func `is read as JSON by its content type`(type: String, isJSON: Bool) {
        let result = OperationResult(status: 200, headers: [], contentType: type, body: Array("[1]".utf8))
        #expect(result.isJSON == isJSON)
        #expect(result.bodyValue == (isJSON ? [1] : "[1]"))
    }

    @Test func `without a content type is text`() {
        let result = OperationResult(status: 200, headers: [], contentType: nil, body: Array("[1]".utf8))
        #expect(result.bodyValue == "[1]")
    }

    @Test func `that is labelled JSON but malformed is text`() {
        let body = Array("[1".utf8)
        #expect(
            OperationResult(status: 200, headers: [], contentType: "application/json", body: body).bodyValue
                == "[1")
    }
}
