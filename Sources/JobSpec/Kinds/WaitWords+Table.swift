internal import HTTPMessage
package import JobKit

extension WaitWords {
    /// The words of all kinds, and those for the waits that any operation may have.
    package static let all =
        [start, retry, origin, hold, callback] + BuiltInKinds.all.compactMap { $0.wait }
        + ConditionKinds.all.compactMap { $0.wait }

    private static let table = Dictionary(all.map { ($0.reason, $0) }) { first, _ in first }

    /// The words for a wait.
    package static func of(_ wait: OperationWait) -> WaitWords {
        table[wait.reason] ?? WaitWords(wait.reason, wait.reason.rawValue) { $0.name }
    }

    private static let start = WaitWords(.start, "time", isBeforeMore: true) { _ in
        "its time to start"
    } end: { wait, _ in
        wait.until.map { "It begins at \($0)." } ?? "It begins then."
    }
    private static let retry = WaitWords(.retry, "time", isBeforeMore: true) { _ in "its next attempt" }
    private static let callback = WaitWords(.callback, "callback") { _ in
        "a request to its callback URL"
    } end: { _, _ in
        "It goes on when the receiver of the URL sends one."
    }
    private static let hold = WaitWords(.hold, "hold") { _ in
        "a person to release it"
    } end: { _, job in
        "It goes on when it is released: POST /v1/jobs/\(job):release."
    }
    private static let origin = WaitWords(.origin, "origin", isBeforeMore: true) {
        "its origin: \($0.detail ?? $0.key ?? "")"
    } end: { wait, _ in
        let date = wait.until.map { "at \($0)" } ?? "then"
        let reset = wait.key.map { ", or at once after POST /v1/origins/\(PercentCoding.encode($0)):reset" }
        return "It asks again \(date)\(reset ?? "")."
    }
}
