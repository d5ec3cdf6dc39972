package import JobKit

/// The pauses and open breakers of origins.
package protocol ClosingRows {
    associatedtype Failure: Error

    /// Keeps each until its end, in place of an earlier one of its origin, and removes those that are over.
    func keep(_ closings: [OriginClosing], at now: Timestamp) throws(Failure)
}

/// Keeps what a server has learned about origins, each until its end, in place of an earlier one of its origin. One
/// that holds nothing back removes that.
package struct ClosingUpdate: StoreWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var closings: [OriginClosing]
    package var at: Timestamp

    package init(_ closings: [OriginClosing], at: Timestamp) {
        self.closings = closings
        self.at = at
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.closings.keep(closings, at: at))
    }
}

/// Stores the validator (`ETag`, `Last-Modified`) of the last successful answer to a request, replacing an earlier one.
/// Beyond `StoreLimits.validatorsMax` the oldest are removed.
package struct ValidatorUpdate: StoreWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var validator: AnswerValidator
    package var key: String

    package init(_ validator: AnswerValidator, for key: String) {
        self.validator = validator
        self.key = key
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        .success(try transaction.remember(validator, for: key))
    }
}
