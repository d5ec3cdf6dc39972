internal import FoundationEssentials
internal import JobKit

/// Times for people.
enum AgeText {
    /// A time of the server as its distance from `now`: `2 min ago`, `in 3 h`. As it is when `now` is nil.
    static func shown(_ text: String, now: Timestamp?) -> String {
        guard let now, let time = Timestamp(text) else { return text }
        let seconds = (now.milliseconds - time.milliseconds) / 1_000
        let size = size(abs(seconds))
        return seconds <= -1 ? "in \(size)" : size == "0 s" ? "now" : "\(size) ago"
    }

    private static func size(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

/// The time of this machine.
enum SystemDate {
    static var now: Timestamp { Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000)) }
}
