package import HTTPMessage
import Synchronization

/// Counts the connections of all listeners that share it, in total and by client address.
package final class ConnectionCensus: Sendable {
    /// Whether to serve a further connection.
    enum Verdict: Sendable, Hashable {
        case fine
        /// The total limit is reached.
        case full
        /// The limit of this address is reached.
        case tooManyFromAddress
    }

    private struct Counts: Sendable {
        var all = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    private let connectionsMax: Int
    private let perAddressMax: @Sendable (IPAddress) -> Int
    private let counts = Mutex(Counts())

    /// Creates an empty census.
    /// - Parameters:
    ///   - connectionsMax: the maximum number of served connections.
    ///   - perAddressMax: the maximum number of connections of one address.
    package init(connectionsMax: Int, perAddressMax: @escaping @Sendable (IPAddress) -> Int = { _ in .max }) {
        self.connectionsMax = connectionsMax
        self.perAddressMax = perAddressMax
    }

    /// Counts a connection and decides whether to serve it; either way it must be removed again.
    func add(_ address: IPAddress) -> Verdict {
        let addressMax = perAddressMax(address)
        return counts.withLock { counts in
            counts.all += 1
            let own = counts.byAddress[address, default: 0] + 1
            counts.byAddress[address] = own
            if counts.all > connectionsMax { return .full }
            return own > addressMax ? .tooManyFromAddress : .fine
        }
    }

    /// Whether an address has a limit of its own, unlike a proxy that forwards for many clients.
    func isLimited(_ address: IPAddress) -> Bool { perAddressMax(address) < .max }

    func remove(_ address: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            let own = counts.byAddress[address, default: 1] - 1
            counts.byAddress[address] = own == 0 ? nil : own
        }
    }

    /// Whether there are so many connections beyond the served ones that none is accepted at the moment.
    func isBeyond(_ more: Int) -> Bool {
        counts.withLock { $0.all >= connectionsMax.saturating(adding: more) }
    }
}

extension Int {
    /// The sum, clamped to the maximum.
    fileprivate func saturating(adding other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
