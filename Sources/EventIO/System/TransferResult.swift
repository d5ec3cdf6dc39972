/// The outcome of a read or a write.
enum TransferResult {
    /// The number of bytes moved, at least one.
    case bytes(Int)
    /// Nothing now; the loop reports when another try is worth it.
    case wouldBlock
    /// The peer has closed its sending side.
    case end
    /// The connection is unusable.
    case failed
}
