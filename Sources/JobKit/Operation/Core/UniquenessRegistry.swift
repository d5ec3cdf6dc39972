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
    case wait
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
        case joins(OperationHandle<Output>)
        case refused(AOperationError)
    }

    /// All claims to a key: the holder, and then the waiters. Each comes and goes without a look at the others.
    private struct Line {
        /// Nil for one that has left. The first is not, and neither is the last.
        private var claims: [Claim?] = []
        /// The place of the holder.
        private var first = 0
        /// The number of places that were removed before the first one.
        private var removed = 0
        /// The numbers of the places.
        private var places: [ObjectIdentifier: Int] = [:]

        var isEmpty: Bool { places.isEmpty }
        var holder: Claim? { claims.indices.contains(first) ? claims[first] : nil }
        var last: Claim? { claims.last ?? nil }
        var all: [Claim] { claims.compactMap(\.self) }

        mutating func append(_ claim: Claim) {
            places[ObjectIdentifier(claim.core)] = removed + claims.count
            claims.append(claim)
        }

        mutating func remove(_ core: OperationCore) {
            guard let place = places.removeValue(forKey: ObjectIdentifier(core)) else { return }
            claims[place - removed] = nil
            while let last = claims.last, last == nil { claims.removeLast() }
            while first < claims.count, claims[first] == nil { first += 1 }
            guard first > 64, first * 2 > claims.count else { return }
            claims.removeFirst(min(first, claims.count))
            removed += first
            first = 0
        }

        /// The number of claims before that of an operation; nil when it has none.
        func position(of core: OperationCore) -> Int? {
            places[ObjectIdentifier(core)].map { claims[first..<($0 - removed)].count { $0 != nil } }
        }
    }

    private let lines = Mutex<[ByteKey: Line]>([:])

    /// No key is taken.
    public init() {}

    /// Whether an unfinished operation has the key.
    public func isTaken(_ key: String) -> Bool { lines.withLock { $0[ByteKey(key)] != nil } }

    /// Claims the key for a new operation, or returns the conflict. Atomic.
    func claim<Output>(_ unique: UniqueKey, for handle: OperationHandle<Output>) -> Verdict<Output> {
        let claim = Claim(core: handle.core, box: handle.box)
        let (verdict, replaced) = lines.withLock { lines -> (Verdict<Output>, [Claim]) in
            let key = ByteKey(unique.key)
            guard let holder = lines[key]?.holder, let last = lines[key]?.last else {
                lines[key, default: Line()].append(claim)
                return (.granted(waits: false), [])
            }
            switch unique.onConflict {
            case .reject: return (.refused(Self.taken(unique.key, by: holder.core)), [])
            case .join:
                guard let box = last.box as? OutputBox<Output> else {
                    return (.refused(Self.taken(unique.key, by: last.core)), [])
                }
                return (.joins(OperationHandle(core: last.core, box: box)), [])
            case .replace, .wait:
                let replaced = unique.onConflict == .replace ? lines[key]?.all ?? [] : []
                lines[key]?.append(claim)
                return (.granted(waits: true), replaced)
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
            let key = ByteKey(key)
            let isHolder = lines[key]?.holder?.core === core
            lines[key]?.remove(core)
            if lines[key]?.isEmpty == true { lines[key] = nil }
            return isHolder ? lines[key]?.holder?.core : nil
        }
        next?.dependencyFinished()
    }

    /// The holder of the key that an operation waits for, and how many come before it; nil when it waits for none.
    func wait(of core: OperationCore, for key: String) -> (holder: OperationCore, position: Int)? {
        lines.withLock { lines in
            guard let line = lines[ByteKey(key)], let holder = line.holder, holder.core !== core,
                let position = line.position(of: core)
            else { return nil }
            return (holder.core, position)
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
