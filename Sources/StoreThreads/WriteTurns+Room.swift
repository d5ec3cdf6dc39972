package import JobStore

/// The memory for writes that wait.
extension WriteTurns {
    /// The size below which all have room together: no tenant is looked up for so little.
    @usableFromInline static var bytesFree: Int { 16 << 20 }

    /// The maximum size of all of them.
    private static var bytesMax: Int { 256 << 20 }

    /// Whether a write may be refused, with so many that wait.
    @inlinable
    package func mayRefuse(_ write: Write) -> Bool { waitingBytes + write.bytes > Self.bytesFree }

    /// The refusal of a write for which there is no room; nil when there is. Each tenant may have half of what the
    /// others leave, and one write while there is room for any. A write of no size is never refused.
    package func refusal(of write: Write) -> JobStoreError? {
        if write.bytes == 0 || !mayRefuse(write) { return nil }
        let own = standing(of: write.owner).bytes
        let share = (Self.bytesMax - waitingBytes + own) / 2
        let hasRoom = own == 0 ? waitingBytes + write.bytes <= Self.bytesMax : own + write.bytes <= share
        return hasRoom ? nil : .writesFull(own >> 20, of: waitingBytes >> 20)
    }
}
