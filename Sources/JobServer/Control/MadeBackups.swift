/// The backups in the data directory that their commands may still check and move.
struct MadeBackups: Sendable {
    /// The time for that. Long, since a large backup may be moved to a slow disk.
    static let timeMax = Duration.seconds(6 * 3_600)

    private var ends: [String: ContinuousClock.Instant] = [:]

    /// Adds a backup that is complete.
    mutating func add(_ name: String, now: ContinuousClock.Instant = .now) {
        ends[name] = now + Self.timeMax
    }

    mutating func remove(_ name: String) { ends[name] = nil }

    /// Those of `names` that no command moves any more.
    mutating func abandoned(of names: [String], now: ContinuousClock.Instant = .now) -> [String] {
        ends = ends.filter { $0.value > now }
        return names.filter { ends[$0] == nil }
    }
}
