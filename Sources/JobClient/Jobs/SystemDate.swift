internal import FoundationEssentials
internal import JobKit

/// The time of this machine.
enum SystemDate {
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000)) }
}
