import HTTPMessage
import StrictJSON

extension HTTPRequest {
    /// Parses the body as JSON.
    /// - Throws: `.malformedJSON` with the position, or a problem with the content type.
    func json() throws(Problem) -> JSONValue {
        try Negotiation.checkJSONBody(head)
        do { return try JSONParser.parse(body) } catch {
            let item = Problem.Item(
                .pointer(error.pointer.description), code: error.code.rawValue, detail: error.detail)
            throw Problem(
                .malformedJSON, "Line \(error.line), column \(error.column): \(error.detail)", items: [item])
        }
    }
}
