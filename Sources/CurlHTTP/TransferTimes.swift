import HTTPMessage

/// The times of a transfer, as libcurl and its callbacks tell them.
struct TransferTimes {
    /// From the beginning, in microseconds; 0 for what was not reached.
    var nameLookup, connect, handshake: Int
    var sendBegan, sendEnded, firstByteAt: Moment?

    func add(to exchange: inout HTTPCallExchange, at now: Moment) {
        if exchange.reusedConnection {
            exchange.connectMilliseconds = 0
        } else {
            exchange.dnsMilliseconds = Self.milliseconds(from: 0, to: nameLookup)
            exchange.connectMilliseconds = Self.milliseconds(from: nameLookup, to: connect)
            exchange.tlsMilliseconds = Self.milliseconds(from: connect, to: handshake)
        }
        guard let sendBegan, let sendEnded else { return }
        exchange.sendMilliseconds = sendEnded.milliseconds(since: sendBegan)
        guard let firstByteAt else { return }
        exchange.waitMilliseconds = firstByteAt.milliseconds(since: sendEnded)
        exchange.receiveMilliseconds = now.milliseconds(since: firstByteAt)
    }

    /// Converts microseconds to milliseconds; nil when the end was not reached.
    private static func milliseconds(from start: Int, to end: Int) -> Double? {
        end == 0 ? nil : Double(max(0, end - start)) / 1000
    }
}
