import EventIO
import HTTPMessage

/// The problem for input that the listener refuses.
enum RefusalAnswer {
    /// - Parameter instance: the requested path, if the head was read.
    static func response(
        to refusal: ListenerRefusal, requestID: String, instance: ArraySlice<UInt8>?
    ) -> HTTPResponse {
        let problem = Problem(kind(of: refusal.status.code), refusal.detail)
        return problem.response(requestID: requestID, instance: instance)
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
