import HTTPMessage
import JobKit
import JobSpec
import StrictJSON

// The types of Docs/JobKit.md, which quotes each region word for word.

// region: operation
struct FetchToken: AOperation {
    let password: String

    func execute(in context: OperationContext) async throws -> String {
        guard password == "lovelace" else {
            throw AOperationError("token.refused", detail: "The password is wrong. Ask the owner for it.")
        }
        return "token-1"
    }
}
// end

// region: receiver
struct FetchProfile: ReceivingOperation {
    func execute(receiving token: String, in context: OperationContext) async throws -> String {
        "Ada, known by \(token)"
    }
}
// end

// region: condition
struct OfficeHours: OperationCondition {
    func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        let hour = context.environment.clock.now.milliseconds / 3_600_000 % 24
        if (8..<18).contains(hour) { return .satisfied }
        return .failed(
            AOperationError("office.closed", detail: "It is \(hour) o'clock UTC; the office opens at 8."))
    }
}
// end

// region: prerequisite
struct Prepared: PrerequisiteCondition {
    func prerequisites(in context: ConditionContext) async -> [Prerequisite] {
        [Prerequisite(FetchToken(password: "lovelace"))]
    }
}
// end

// region: observer
struct Narrator: OperationObserver {
    let say: @Sendable (String) -> Void

    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        switch event.kind {
        case .started: say("\(operation.name) begins")
        case .attemptFailed(let number, let error, _): say("attempt \(number): \(error.detail)")
        case .finished(let ending): say("\(operation.name) \(ending.state.rawValue)")
        default: break
        }
    }
}
// end

// region: call
struct CountItems: AOperation {
    let url: String

    func execute(in context: OperationContext) async throws -> Int {
        let answer = try await context.send(HTTPCall(method: "GET", url: url))
        guard answer.status == 200, let list = try JSONParser.parse(answer.body).array else {
            throw AOperationError("items.unreadable", detail: "\(url) answered \(answer.status).")
        }
        return list.count
    }
}
// end

// region: transport
struct CannedAnswer: Transport {
    let text: String

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        HTTPCallAnswer(status: 200, fields: [], body: Array(text.utf8), exchange: HTTPCallExchange())
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}
// end

// region: kind
let greeting = OperationKind(
    "greeting", members: [.required("whom", .string), .optional("times", .integer)]
) { members in
    ClosureOperation { _ in
        let whom = members["whom"]?.string ?? ""
        return .array(Array(repeating: .string("Hello, \(whom)!"), count: members["times"]?.number?.int ?? 1))
    }
}
// end
