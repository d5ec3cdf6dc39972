/// The pause or open breaker of an origin, in the form that outlives restarts and is sent to other servers. One that
/// holds nothing back says that the origin was reset.
package struct OriginClosing: Sendable, Hashable {
    /// `https://host:port`, the port only when it is not the scheme's own.
    package var origin: String
    var coolDown: OriginRecord.CoolDown?
    var breaker: Breaker?

    /// A breaker that is open.
    struct Breaker: Sendable, Hashable {
        var until: Timestamp
        var failures: Int
        var calls: Int
    }

    init(origin: String, coolDown: OriginRecord.CoolDown? = nil, breaker: Breaker? = nil) {
        self.origin = origin
        self.coolDown = coolDown
        self.breaker = breaker
    }

    /// The time from which it holds nothing back; nil when it does not now.
    package var until: Timestamp? { [coolDown?.until, breaker?.until].compactMap(\.self).max() }

    // MARK: Coding

    /// The numbers of the pause and of the breaker, with `-` for those that are missing, and the origin.
    package var bytes: [UInt8] {
        let numbers = [
            coolDown?.since.milliseconds, coolDown?.until.milliseconds, coolDown.map { Int64($0.status) },
            breaker?.until.milliseconds, breaker.map { Int64($0.failures) }, breaker.map { Int64($0.calls) },
        ]
        let words = numbers.map { $0.map { String($0) } ?? "-" } + [origin]
        return Array(words.joined(separator: " ").utf8)
    }

    /// Reads what `bytes` wrote; nil when it is something else.
    package init?(_ bytes: [UInt8]) {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 6)
        guard words.count == 7 else { return nil }
        let numbers = words.prefix(6).map { Int64($0) }
        origin = String(words[6])
        if let since = numbers[0], let until = numbers[1], let status = numbers[2] {
            coolDown = OriginRecord.CoolDown(
                since: Timestamp(milliseconds: since), until: Timestamp(milliseconds: until),
                status: Int(clamping: status))
        }
        if let until = numbers[3], let failures = numbers[4], let calls = numbers[5] {
            breaker = Breaker(
                until: Timestamp(milliseconds: until), failures: Int(clamping: failures),
                calls: Int(clamping: calls))
        }
    }
}
