import HTTPMessage
import StrictJSON

extension HTTPRequest {
    /// The body as JSON.
    /// - Throws: `.malformedJSON` with the place, or what is wrong with the content type.
    func json() throws(Problem) -> JSONValue {
        try Negotiation.checkJSONBody(head)
        do { return try JSONParser.parse(body) } catch {
            let item = Problem.Item(
                pointer: error.pointer.description, code: error.code.rawValue, detail: error.detail)
            throw Problem(
                .malformedJSON, "Line \(error.line), column \(error.column): \(error.detail)", items: [item])
        }
    }
}
