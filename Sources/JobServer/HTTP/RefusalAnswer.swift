import EventIO
import HTTPMessage

/// The problem for input that the listener refuses.
enum RefusalAnswer {
    static func response(to refusal: ListenerRefusal, requestID: String) -> HTTPResponse {
        var problem = Problem(kind(of: refusal.status.code), refusal.detail)
        problem.code = refusal.code
        return problem.response(requestID: requestID, instance: nil)
    }

    private static func kind(of status: Int) -> ProblemKind {
        switch status {
        case 408: .requestTimeout
        case 413: .payloadTooLarge
        case 414: .targetTooLong
        case 429: .clientLimited
        case 431: .headTooLarge
        case 501: .unsupportedFeature
        case 503: .overloaded
        case 505: .unsupportedVersion
        default: .badRequest
        }
    }
}
