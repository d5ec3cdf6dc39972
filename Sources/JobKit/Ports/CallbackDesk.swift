internal import StrictJSON

/// The callback URLs of one job, and what came to them.
package protocol CallbackDesk: Sendable {
    /// The URL of a wait.
    /// - Throws: `callback.unavailable` when the server does not know the address at which it is reached.
    func url(of place: CallbackPlace) throws(AOperationError) -> String

    /// The time since which senders can be heard without a break. Silence before it says nothing about them.
    var hearsSince: Timestamp { get }

    /// Ends a wait, unless something came that it must hear of first.
    /// - Parameters:
    ///   - heard: the last sign of life that the wait knows of. A later one keeps the wait open; nil ends it
    ///     anyway.
    /// - Returns: the first of these: a report came; a later sign of life; neither, and no report is taken from now on.
    func close(_ place: CallbackPlace, heard: Timestamp?) async throws(AOperationError) -> CallbackClosing
}

/// The outcome of the end of a wait for a callback.
package enum CallbackClosing: Sendable, Hashable {
    /// A report came: the run is told of it.
    case reported
    /// The sender was heard of at this time.
    case heard(Timestamp)
    /// The wait is over.
    case closed
}

/// Signs of life of senders.
package enum SignOfLife {
    /// The time after a stored sign of life in which further ones are not stored: a tenth of the longest time between
    /// them, at most a minute. The wait counts it as heard, so that it never ends early.
    /// - Parameter heartbeat: the longest time between signs of life; nil expects none.
    package static func span(within heartbeat: Duration?) -> Duration {
        min(heartbeat.map { $0 / 10 } ?? .seconds(1), .seconds(60))
    }
}

// DESIGN
// The round of a URL decides which reports count. An operation that hands the URL out and begins anew after a retry
// makes a new request, so the old URL must not end the new wait. One that had succeeded is kept, and nothing hands the
// URL out again: so the old one stays valid, and a retry after a timeout waits for the request that is on its way.

extension JournalFold {
    /// The current place whose URL the operation at `path` waits for.
    package func callbackPlace(at path: [String]) -> CallbackPlace {
        CallbackPlace(path: path, round: keptRound(at: path) ?? retries)
    }

    /// Whether the URL of an operation was handed out.
    package func hasHandedOut(at path: [String]) -> Bool { histories[path]?.notes[NoteName.handedOut] != nil }

    /// The operation that handed out the URL of the one at `path` last; nil when none did.
    package func sender(ofCallbackAt path: [String]) -> [String]? {
        handout(at: path).map { OperationAddress.path($0.by) }
    }

    private func handout(at path: [String]) -> (round: Int, by: String)? {
        guard let note = histories[path]?.notes[NoteName.handedOut]?.object,
            let round = note["round"]?.number?.int64, let by = note["by"]?.string
        else { return nil }
        return (Int(clamping: round), by)
    }

    private func keptRound(at path: [String]) -> Int? {
        guard let handout = handout(at: path) else { return nil }
        if handout.round == retries { return handout.round }
        return histories[OperationAddress.path(handout.by)]?.isKept == true ? handout.round : nil
    }
}
