internal import StrictJSON
internal import Synchronization

/// The treatment of an operation whose unique key is taken.
public enum UniqueConflict: String, Sendable, Hashable, CaseIterable {
    /// It fails immediately with `unique.taken`, which names the key and the holder's path, also as the members `key`
    /// and `holder` of `publishedError?.info`. Operations that need it are skipped, with that error as the cause; use
    /// `join` if they are to continue with the holder's result.
    case reject
    /// It is not added; the caller gets the handle of the holder.
    case join
    /// The holder and all waiters for the key are cancelled; it runs after them.
    case replace
    /// It runs after the holder and all waiters for the key.
    case queue
}

/// A key that one unfinished operation has at a time.
struct UniqueKey: Sendable {
    let key: String
    let onConflict: UniqueConflict
}

/// The unique keys of one environment and their holders. A key is taken when the operation is added and is free again
/// when it ends; retries keep it.
public final class UniquenessRegistry: Sendable {
    private struct Claim: Sendable {
        let core: OperationCore
        let box: any Sendable
    }

    enum Verdict<Output: Sendable> {
        /// The key is its own, or will be: it waits for its turn when others have it before.
        case granted(waits: Bool)
        /// The operation is there already.
        case joins(AOperationHandle<Output>)
        case refused(AOperationError)
    }

    /// All claims to a key: the holder, and then the waiters.
    private let lines = Mutex<[String: [Claim]]>([:])

    /// No key is taken.
    public init() {}

    /// Whether an unfinished operation has the key.
    public func isTaken(_ key: String) -> Bool { lines.withLock { $0[key] != nil } }

    /// Claims the key for a new operation, or returns the conflict. Atomic.
    func claim<Output>(_ unique: UniqueKey, for handle: AOperationHandle<Output>) -> Verdict<Output> {
        let claim = Claim(core: handle.core, box: handle.box)
        let (verdict, replaced) = lines.withLock { lines -> (Verdict<Output>, [Claim]) in
            guard let line = lines[unique.key], let last = line.last else {
                lines[unique.key] = [claim]
                return (.granted(waits: false), [])
            }
            switch unique.onConflict {
            case .reject: return (.refused(Self.taken(unique.key, by: line[0].core)), [])
            case .join:
                guard let box = last.box as? OutputBox<Output> else {
                    return (.refused(Self.taken(unique.key, by: last.core)), [])
                }
                return (.joins(AOperationHandle(core: last.core, box: box)), [])
            case .replace, .queue:
                lines[unique.key] = line + [claim]
                return (.granted(waits: true), unique.onConflict == .replace ? line : [])
            }
        }
        for claim in replaced {
            claim.core.cancel(code: .cancelledReplaced, reason: "\(handle.name) replaced it")
        }
        return verdict
    }

    /// The operation ended: the key is free, or the next one's.
    func release(_ key: String, by core: OperationCore) {
        let next = lines.withLock { lines -> OperationCore? in
            guard var line = lines[key] else { return nil }
            let isHolder = line.first?.core === core
            line.removeAll { $0.core === core }
            lines[key] = line.isEmpty ? nil : line
            return isHolder ? line.first?.core : nil
        }
        next?.dependencyFinished()
    }

    /// The holder of the key that an operation waits for, and how many come before it; nil when it waits for none.
    func wait(of core: OperationCore, for key: String) -> (holder: OperationCore, position: Int)? {
        lines.withLock { lines in
            guard let line = lines[key], let place = line.firstIndex(where: { $0.core === core }), place > 0
            else { return nil }
            return (line[0].core, place)
        }
    }

    private static func taken(_ key: String, by holder: OperationCore) -> AOperationError {
        let place = holder.publisherPath.joined(separator: "/")
        let detail = "The unique key \(key) is taken by \(place), which is not finished."
        var error = AOperationError(.uniqueTaken, detail: detail)
        error.publishedError = .init(
            domain: "unique", code: 0, description: detail,
            info: JSONObject([("key", .string(key)), ("holder", .string(place))]))
        return error
    }
}
