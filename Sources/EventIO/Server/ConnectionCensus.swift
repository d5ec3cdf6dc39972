package import HTTPMessage
import Synchronization

/// Counts the connections of all listeners that share it, in all and by client address.
package final class ConnectionCensus: Sendable {
    /// Whether a further connection is served.
    enum Verdict: Sendable, Hashable {
        case fine
        /// There are as many as there may be in all.
        case full
        /// There are as many from this address as one address may have.
        case tooManyFromAddress
    }

    private struct Counts: Sendable {
        var all = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    private let connectionsMax: Int
    private let perAddressMax: @Sendable (IPAddress) -> Int
    private let counts = Mutex(Counts())

    /// Counts nothing yet.
    /// - Parameters:
    ///   - connectionsMax: how many are served in all.
    ///   - perAddressMax: how many of them one address may have.
    package init(connectionsMax: Int, perAddressMax: @escaping @Sendable (IPAddress) -> Int = { _ in .max }) {
        self.connectionsMax = connectionsMax
        self.perAddressMax = perAddressMax
    }

    /// Counts one more connection and says whether it is served; it is to be taken off again either way.
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

    /// Counts one less.
    func remove(_ address: IPAddress) {
        counts.withLock { counts in
            counts.all -= 1
            let own = counts.byAddress[address, default: 1] - 1
            counts.byAddress[address] = own == 0 ? nil : own
        }
    }

    /// Whether so many more than are served are there that nobody is accepted at the moment.
    func isBeyond(_ more: Int) -> Bool {
        counts.withLock { $0.all >= connectionsMax.saturating(adding: more) }
    }
}

extension Int {
    /// The sum, or the largest number when it is larger.
    fileprivate func saturating(adding other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
