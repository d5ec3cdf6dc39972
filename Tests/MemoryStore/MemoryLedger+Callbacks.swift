import JobStore

/// Ends with callbacks that are not stored as jobs yet.
extension MemoryLedger {
    func endsToTell(limit: Int) -> [JobEnd] {
        ends.sorted { $0.key < $1.key }.prefix(limit).map(\.value)
    }
}
