internal import JobKit
package import StrictJSON
internal import Synchronization

/// Waits for a signal from outside, or for a request to a URL that it has for it.
package struct AwaitSpec: Sendable, Hashable {
    /// The signal's name: `[a-z][a-z0-9_-]{0,62}`; nil when it waits for a request to its callback URL.
    package var signal: String?
    /// Which requests to its callback URL count; nil when it has none.
    package var callback: CallbackRules?
    /// A predicate over the signal's value, which is at `/body`; other signals of this name are left pending.
    package var match: JSONPredicate?
    /// The wait before `fallback` applies; nil is for ever, or until the operation's `timeout`.
    package var limit: Duration?
    /// The result when the signal does not come in time.
    package var fallback: JSONValue = .null

    /// Waits for the signal `signal`.
    package init(signal: String) { self.signal = signal }

    /// Waits for a request to its callback URL.
    package init(callback: CallbackRules) { self.callback = callback }
}

extension AwaitSpec: BuiltInKind {
    static let name = "await"
    static let wait: WaitWords? = WaitWords(.signal, "signal") {
        "the signal \($0.key ?? "")"
    } end: { wait, job in
        wait.key.map { "It goes on when the signal arrives: POST /v1/jobs/\(job)/signals/\($0)." }
            ?? "It goes on when the signal arrives."
    }
    static let members: [any KindMember] = [signalMember, callbackMember, matchMember, fallbackMember]
    private static let signalMember = OptionalMember("signal", .name)
    private static let callbackMember = OptionalMember(
        "callback", SpecForm<CallbackRules> { CallbackRulesReader.read($1, $2, &$0) })
    private static let matchMember = OptionalMember("match", .predicate(on: .result))
    private static let fallbackMember = OptionalMember<JSONValue>(
        "on_timeout", SpecForm { fallback($1, &$0) })

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> AwaitSpec? {
        guard var spec = subject(object, scope, &reading) else { return nil }
        spec.match = matchMember.read(object, scope, &reading)
        guard let fallback = fallbackMember.read(object, scope, &reading) else { return spec }
        guard let limit = draft.timeout else {
            if object["timeouts"] == nil {
                reading.missing(
                    "timeouts", "\"on_timeout\" needs a clock to apply to.",
                    suggestion: #""timeouts": {"total": "1h"}"#)
            }
            return spec
        }
        // The wait has its own limit: the operation's clock has nothing to stop.
        spec.limit = limit
        spec.fallback = fallback
        draft.timeout = nil
        return spec
    }

    /// The signal or the callback that it waits for.
    private static func subject(
        _ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> AwaitSpec? {
        if let rules = callbackMember.read(object, scope, &reading) {
            for name in ["signal", "match"] where object[name] != nil {
                reading.note(
                    member: name, .conflict,
                    name == "signal"
                        ? "It waits for a signal, or for a request to its callback URL. Leave one of them out."
                        : "\"match\" picks signals. What a request must say is \"when\" in \"callback\".")
            }
            return AwaitSpec(callback: rules)
        }
        if object["callback"] != nil { return nil }
        guard object["signal"] != nil else {
            reading.missing(
                "signal", "An await operation says which signal it waits for, or has a \"callback\" URL.",
                suggestion: #""signal": "paid""#)
            return nil
        }
        return signalMember.read(object, scope, &reading).map { AwaitSpec(signal: $0) }
    }

    /// The value in place of the signal's; nil when the absence of the signal is a failure.
    private static func fallback(_ value: JSONValue, _ reading: inout SpecReading) -> JSONValue? {
        enum Word: String, CaseIterable { case fail, `continue` }
        guard case .object(let object) = value else {
            return reading.word(value, Word.self) == .continue ? .null : nil
        }
        guard let fallback = object["value"], object.members.count == 1 else {
            reading.wrongType(
                value, #""fail", "continue", or an object such as {"value": {"paid": false}}"#)
            return nil
        }
        return fallback
    }

    var keepsTimeout: Bool { true }
    var planWords: [String] { [signal.map { "signal \($0)" } ?? "callback URL"] }

    func isPlain(in operation: OperationSpec) -> Bool { callback == nil }

    /// The signal's value is the result. The wait enforces the limit, so that a signal in time counts even if the
    /// operation handles it late.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        let (name, timeout) = (spec.name, spec.timeout)
        return OperationRecipe(name) { context in
            let until = (limit ?? timeout).map { context.startedAt.advanced(by: $0) }
            let found: OperationResult?
            if let signal {
                let filter = match.map { SignalFilter($0, references) }
                found = try await context.signalContent(signal, until: until) { filter?.takes($0) ?? true }
                if let error = filter?.error { throw error }
            } else {
                found = try await context.callback(until: until, heartbeat: callback?.heartbeat)
            }
            if found == nil, limit == nil, let timeout {
                throw AOperationError.tookTooLong(name, timeout, setBy: OperationSpec.timeoutName)
            }
            return found ?? OperationResult(json: fallback)
        }
    }
}

/// Picks the signals that an operation waits for. All looks together have the steps of some milliseconds, since they
/// are made on the loop. A signal about which `match` cannot be decided is taken, and the operation fails: it would
/// wait for ever otherwise.
private final class SignalFilter: Sendable {
    private static let stepsMax = 20 * StepMeter.sliceMax

    private let match: JSONPredicate
    private let lookup: Binding.Lookup
    private let failure = Mutex<AOperationError?>(nil)

    init(_ match: JSONPredicate, _ references: ReferenceReader) {
        self.match = match
        lookup = references.lookup(StepMeter(Self.stepsMax, of: references.name))
    }

    var error: AOperationError? { failure.withLock { $0 } }

    func takes(_ value: JSONValue?) -> Bool {
        do throws(AOperationError) {
            let document = JSONValue.object(JSONObject(value.map { [("body", $0)] } ?? []))
            guard try match.evaluate(document: document, lookup: lookup) else { return false }
            // One that was undecided before went to another operation.
            failure.withLock { $0 = nil }
            return true
        } catch {
            failure.withLock { $0 = error }
            return true
        }
    }
}
