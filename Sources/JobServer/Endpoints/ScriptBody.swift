import HTTPMessage
import JobSpec
import StrictJSON

/// Bodies and answers that are curl command lines.
enum ScriptBody {
    /// The media type of a script.
    static let contentType = "text/x-shellscript"

    /// Whether a body says that it is a script.
    static func isScript(_ head: HTTPRequestHead) throws(Problem) -> Bool {
        guard let value = try Negotiation.contentType(head) else { return false }
        if Negotiation.isPlainJSON(value) { return false }
        return Negotiation.scriptTypes.contains(Negotiation.name(of: value))
    }

    /// The job spec that a script comes to.
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
