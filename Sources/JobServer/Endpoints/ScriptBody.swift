import HTTPMessage
import JobSpec
import StrictJSON

/// Request and response bodies of curl command lines.
enum ScriptBody {
    static let contentType = "text/x-shellscript"

    /// Whether the content type of a body is that of a script.
    static func isScript(_ head: HTTPRequestHead) throws(Problem) -> Bool {
        guard let value = try Negotiation.contentType(head) else { return false }
        if Negotiation.isPlainJSON(value) { return false }
        return Negotiation.scriptTypes.contains(Negotiation.name(of: value))
    }

    /// Translates a script to a job spec.
    /// - Throws: `.invalidSpec` with everything that is wrong with it.
    static func spec(of body: [UInt8]) throws(Problem) -> (bytes: [UInt8], warnings: [SpecWarning]) {
        do throws(SpecProblems) {
            let script = try CurlScript(body)
            return (script.spec.encoded(), script.warnings)
        } catch {
            throw SpecBody.problem(error)
        }
    }
}
