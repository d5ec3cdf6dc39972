internal import JobKit
internal import Synchronization

// DESIGN
// One slot per identity. The first caller to find it empty fetches the token; callers meanwhile wait for that one
// fetch, and share its outcome, good or bad. When the fetching caller is cancelled, a waiting one takes over. A token
// is used until shortly before its expiry; one that the upstream rejected is never used again.

/// Caches the access tokens of calls, in memory only. All jobs of a server share one.
final class TokenCache: Sendable {
    /// The maximum number of cached identities.
    static let slotsMax = 1_000

    /// A token with its number, which is new for each fetch.
    struct Token: Sendable {
        let text: String
        let staleAt: Timestamp
        let number: UInt64
    }

    private enum Slot {
        case fetching([UInt64: CheckedContinuation<News, Never>])
        case known(Token)
    }

    private enum News: Sendable {
        case token(Token)
        case failure(AOperationError)
        /// The fetch was cancelled: look again.
        case again
        case stopped
    }

    private enum Part {
        case use(Token)
        case fetch
        case wait
    }

    private struct State {
        var slots: [OAuth2Client: Slot] = [:]
        var numbers: UInt64 = 0
    }

    private let state = Mutex(State())

    /// A token for `client`.
    /// - Parameters:
    ///   - rejected: the number of a token that was rejected and must not be returned.
    ///   - fetch: fetches a token; called when there is none, at most once at a time per client.
    func token(
        for client: OAuth2Client, rejected: UInt64? = nil, clock: any OperationClock,
        fetch: () async throws(AOperationError) -> OAuth2Client.Grant
    ) async throws(AOperationError) -> Token {
        while true {
            switch part(of: client, rejected, clock.now) {
            case .use(let token): return token
            case .fetch: return try await fetched(for: client, clock, fetch)
            case .wait:
                switch await news(of: client) {
                case .token(let token): return token
                case .failure(let error): throw error
                case .again: continue
                case .stopped:
                    throw AOperationError(
                        "cancelled.transport", detail: "The call was stopped while it waited for a token.")
                }
            }
        }
    }

    private func part(of client: OAuth2Client, _ rejected: UInt64?, _ now: Timestamp) -> Part {
        state.withLock { state in
            switch state.slots[client] {
            case .known(let token) where token.number != rejected && now < token.staleAt: return .use(token)
            case .fetching: return .wait
            case .known, nil:
                if state.slots.count >= Self.slotsMax { Self.sweep(&state, now) }
                state.slots[client] = .fetching([:])
                return .fetch
            }
        }
    }

    private func fetched(
        for client: OAuth2Client, _ clock: any OperationClock,
        _ fetch: () async throws(AOperationError) -> OAuth2Client.Grant
    ) async throws(AOperationError) -> Token {
        do throws(AOperationError) {
            let grant = try await fetch()
            let token = Token(
                text: grant.token, staleAt: clock.now.advanced(by: Self.usable(grant.lifetime)),
                number: nextNumber())
            settle(client, .known(token), .token(token))
            return token
        } catch {
            settle(client, nil, error.isCancelled || Task.isCancelled ? .again : .failure(error))
            throw error
        }
    }

    /// The time for which a token is used: until a tenth of its lifetime is left, or 30 s.
    static func usable(_ lifetime: Duration) -> Duration { lifetime - min(.seconds(30), lifetime / 10) }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
    }

    private func settle(_ client: OAuth2Client, _ slot: Slot?, _ news: News) {
        let waiters = state.withLock { state -> [CheckedContinuation<News, Never>] in
            defer { state.slots[client] = slot }
            if case .fetching(let waiters) = state.slots[client] { return Array(waiters.values) }
            return []
        }
        for waiter in waiters { waiter.resume(returning: news) }
    }

    private func news(of client: OAuth2Client) async -> News {
        let number = nextNumber()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state -> Bool in
                    guard !Task.isCancelled, case .fetching(var waiters) = state.slots[client] else {
                        return false
                    }
                    waiters[number] = continuation
                    state.slots[client] = .fetching(waiters)
                    return true
                }
                if !isWaiting { continuation.resume(returning: Task.isCancelled ? .stopped : .again) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<News, Never>? in
                guard case .fetching(var waiters) = state.slots[client] else { return nil }
                let waiter = waiters.removeValue(forKey: number)
                state.slots[client] = .fetching(waiters)
                return waiter
            }
            waiter?.resume(returning: .stopped)
        }
    }

    private static func sweep(_ state: inout State, _ now: Timestamp) {
        state.slots = state.slots.filter { _, slot in
            if case .known(let token) = slot { return now < token.staleAt }
            return true
        }
        guard state.slots.count >= slotsMax else { return }
        let oldest = state.slots.compactMap { client, slot -> (OAuth2Client, UInt64)? in
            if case .known(let token) = slot { (client, token.number) } else { nil }
        }.min { $0.1 < $1.1 }
        if let oldest { state.slots[oldest.0] = nil }
    }
}
