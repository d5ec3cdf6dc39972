import FoundationEssentials
import JobKit

/// The wall clock of this machine.
enum SystemTime {
    static func now() -> Timestamp {
        let milliseconds = Date().timeIntervalSince1970 * 1_000
        return Timestamp(milliseconds: Int64(exactly: milliseconds.rounded(.down)) ?? 0)
    }
}
