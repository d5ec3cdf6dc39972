internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The host answers: a TCP connection (`"probe": "tcp"`), or any HTTP answer to HEAD (`"probe": "http"`). With
/// `"otherwise": "wait"` it is tried again until it does.
struct ReachabilitySpec: ConditionKind {
    var url: String
    var probe = HTTPReachabilityProbe.Depth.tcp
    var probeTimeout = Duration.seconds(3)
    var patience: ReachabilityCondition.Patience?

    static let name = "reachability"
    static let wait: WaitWords? = WaitWords(.reachability, "condition") {
        "its next try to reach \($0.key ?? "its target")"
    }
    static let members: [any KindMember] = [
        urlMember, probeMember, probeTimeoutMember, everyMember, timeoutMember,
    ]
    static let outcomes: [ConditionOtherwise] = [.fail, .skip, .wait]
    private static let urlMember = RequiredMember(
        "url", .literalURL, remedy: "Say which host must answer.",
        suggestion: #""url": "https://example.com/""#)
    private static let probeMember = DefaultedMember(
        "probe", .word, default: HTTPReachabilityProbe.Depth.tcp)
    private static let probeTimeoutMember = DefaultedMember(
        "probe_timeout", SpecForm { $0.interval($1, atMost: .seconds(60)) }, default: .seconds(3))
    private static let everyMember = OptionalMember(
        "every", SpecForm { $0.duration($1, atLeast: .seconds(1), atMost: $0.limits.waitMax) })
    private static let timeoutMember = OptionalMember("timeout", .wait)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> ReachabilitySpec? {
        let probe = probeMember.read(object, scope, &reading)
        let probeTimeout = probeTimeoutMember.read(object, scope, &reading)
        let patience = object[urlMember.name] == nil ? nil : patience(object, otherwise, scope, &reading)
        guard let url = urlMember.read(object, scope, &reading) else { return nil }
        return ReachabilitySpec(url: url, probe: probe, probeTimeout: probeTimeout, patience: patience)
    }

    private static func patience(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> ReachabilityCondition.Patience? {
        let interval = everyMember.read(object, scope, &reading)
        let limit = timeoutMember.read(object, scope, &reading)
        if otherwise == .wait {
            return .init(interval: interval ?? .seconds(15), giveUpAfter: limit)
        }
        for name in [everyMember.name, timeoutMember.name] where object[name] != nil {
            reading.note(
                member: name, .conflict, "\"\(name)\" does nothing unless it waits.",
                suggestion: #""otherwise": "wait""#)
        }
        return nil
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        ReachabilityCondition(.init(url: url, depth: probe, timeout: probeTimeout), patience: patience)
    }
}
