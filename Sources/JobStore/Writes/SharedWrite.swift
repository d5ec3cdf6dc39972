package import JobKit

/// A write that only servers that share a store make: the request and its transaction.
package protocol SharedWrite: PlannedWrite {
    /// Makes the change; see `StoreWrite`.
    func apply<Transaction: SharedTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError>
}

/// An open transaction of an engine that servers share.
package protocol SharedTransaction: StoreTransaction {
    associatedtype KeyLines: KeyLineRows where KeyLines.Failure == Failure

    var keyLines: KeyLines { get }

    /// A number that is not less than those of earlier operations in line.
    func nextNumber(at time: Timestamp) -> Int64

    /// Notes messages of this server to the others.
    func note(_ messages: [ServerMessage])

    /// Shows a server to the others as long as it has a lease. Returns whether it has one.
    func announce(_ server: ServerRecord) throws(Failure) -> Bool
}

/// Shows a server to the others as long as it has a lease, which it must have now.
///
/// Refused with `.leaseLost`.
package struct ServerAnnouncement: SharedWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var server: ServerRecord

    package init(_ server: ServerRecord) { self.server = server }

    package func apply<Transaction: SharedTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        try transaction.announce(server) ? .success(()) : .failure(.leaseLost(server.id))
    }
}

/// Tells all other servers, in order. Messages may be lost when a server is busy or away for minutes.
package struct ServerNotice: SharedWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var messages: [ServerMessage]

    package init(_ messages: [ServerMessage]) { self.messages = messages }

    package var rows: Int { 1 + messages.reduce(0) { $0 + $1.body.count } / WriteCost.row }

    package func apply<Transaction: SharedTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(transaction.note(messages))
    }
}
