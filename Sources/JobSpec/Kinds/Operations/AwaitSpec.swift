internal import JobKit
package import StrictJSON
internal import Synchronization

/// Waits for a signal from outside.
package struct AwaitSpec: Sendable, Hashable {
    /// The signal's name: `[a-z][a-z0-9_-]{0,62}`.
    package var signal: String
    /// A predicate over the signal's value, which is at `/body`; other signals of this name are left pending.
    package var match: JSONPredicate?
    /// The wait before `fallback` applies; nil is for ever, or until the operation's `timeout`.
    package var limit: Duration?
    /// The result when the signal does not come in time.
    package var fallback: JSONValue = .null

    /// Waits for the signal `signal`.
    package init(signal: String) { self.signal = signal }
}

/// The kind `await`.
extension AwaitSpec: BuiltInKind {
    static let name = "await"
    static let wait: WaitWords? = WaitWords(.signal, "signal") {
        "the signal \($0.key ?? "")"
    } end: { wait, job in
        wait.key.map { "It goes on when the signal arrives: POST /v1/jobs/\(job)/signals/\($0)." }
            ?? "It goes on when the signal arrives."
    }
    static let members: [any KindMember] = [signalMember, matchMember, fallbackMember]
    private static let signalMember = RequiredMember(
        "signal", .name, remedy: "An await operation says which signal it waits for.",
        suggestion: #""signal": "paid""#)
    private static let matchMember = OptionalMember("match", .predicate(on: .result))
    private static let fallbackMember = OptionalMember<JSONValue>(
        "on_timeout", SpecForm { fallback($1, &$0) })

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> AwaitSpec? {
        guard let signal = signalMember.read(object, scope, &reading) else { return nil }
        var spec = AwaitSpec(signal: signal)
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
    var planWords: [String] { ["signal \(signal)"] }

    func isPlain(in operation: OperationSpec) -> Bool { true }

    /// The signal's value is the result. The wait enforces the limit, so that a signal in time counts even if the
    /// operation handles it late.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        let (name, timeout) = (spec.name, spec.timeout)
        return AOperationRecipe(name: name) { context in
            let until = (limit ?? timeout).map { context.startedAt.advanced(by: $0) }
            let filter = match.map { SignalFilter($0, references) }
            let value = try await context.signal(signal, until: until) { filter?.takes($0) ?? true }
            if let error = filter?.error { throw error }
            if value == nil, limit == nil, let timeout {
                throw AOperationError.tookTooLong(name, timeout, setBy: OperationSpec.timeoutName)
            }
            return OperationResult(json: value ?? fallback)
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

    func takes(_ value: JSONValue) -> Bool {
        do throws(AOperationError) {
            let document = JSONValue.object(JSONObject([("body", value)]))
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
