internal import JobKit
internal import JobStore

/// The calls of a run that the facts about the end of its job may name: the root's last one, and those whose attempts
/// failed.
struct FailedCalls {
    private typealias Call = (method: String, url: String)

    private var root: Call?
    /// The calls of inner operations that are under way, and of those that failed.
    private var open: [[String]: Call] = [:]
    private var failed: [[String]: Call] = [:]
    /// The number of operations whose failed calls are remembered: the first errors decide.
    private static let failedMax = 100

    mutating func note(_ entry: JournalEntry) {
        switch entry.event {
        case .attemptStarted(_, let method?, let url?):
            if entry.path.isEmpty { root = (method, url) } else { open[entry.path] = (method, url) }
        case .attemptFinished(let record) where !entry.path.isEmpty:
            guard let call = open.removeValue(forKey: entry.path), record.error != nil else { return }
            if failed[entry.path] != nil || failed.count < Self.failedMax { failed[entry.path] = call }
        default: break
        }
    }

    /// The last call of an operation, nil when there is none that is remembered.
    func call(of path: [String]) -> JobDetail.Call? {
        let call = path.isEmpty ? root : failed[path]
        return call.map { JobDetail.Call(method: $0.method, url: $0.url) }
    }
}
