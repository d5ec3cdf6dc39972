package import StrictJSON

/// Keeps exclusive keys for several processes, in place of the registry of one. Each run of a durable tree has one.
package protocol KeyKeeper: Sendable {
    /// Takes all keys for an operation, durably, in the order of arrival.
    /// - Parameter waits: whether the operation enters the line for the keys when they are not free.
    func take(_ keys: Set<ByteKey>, by path: [String], waits: Bool) async -> KeyAnswer

    /// Returns when an operation in line should ask again; false when its task was cancelled.
    func turn(of path: [String]) async -> Bool

    /// Releases all keys of an operation, and takes it out of the line.
    func leave(_ path: [String])

    /// Reports that the journal has noted keys as released, for which others may be waiting.
    func freed()
}

/// The answer to an operation that asks for exclusive keys.
package enum KeyAnswer: Sendable, Hashable {
    /// The operation holds all of them.
    case held
    /// They are not all free.
    case busy
    /// The run is over.
    case over
}
