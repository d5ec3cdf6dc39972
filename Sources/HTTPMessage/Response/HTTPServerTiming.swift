/// The times that an answer took, for `Server-Timing` (W3C): clients and browsers show them beside their own.
package struct HTTPServerTiming: Sendable, Hashable {
    /// The time from the whole request to its answer.
    package var total: Duration
    /// The time until what was sent was stored durably; nil for other requests.
    package var durable: Duration?

    /// The times of an answer.
    package init(total: Duration, durable: Duration? = nil) {
        self.total = total
        self.durable = durable
    }

    /// Appends the field with its line end. Milliseconds with three digits.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: Self.name)
        if let durable {
            bytes.append(contentsOf: Self.durableName)
            Self.append(durable, to: &bytes)
            bytes.append(contentsOf: Self.separator)
        }
        bytes.append(contentsOf: Self.totalName)
        Self.append(total, to: &bytes)
        bytes.append(0x0D)
        bytes.append(0x0A)
    }

    private static let name = Array("Server-Timing: ".utf8)
    private static let durableName = Array("durable;dur=".utf8)
    private static let totalName = Array("total;dur=".utf8)
    private static let separator = Array(", ".utf8)

    private static func append(_ duration: Duration, to bytes: inout [UInt8]) {
        let (seconds, attoseconds) = duration.components
        let micros = max(0, max(0, min(seconds, 1_000_000)) * 1_000_000 + attoseconds / 1_000_000_000_000)
        HTTPResponseWriter.append(Int(micros / 1_000), to: &bytes)
        bytes.append(0x2E)
        bytes.append(0x30 + UInt8(micros / 100 % 10))
        bytes.append(0x30 + UInt8(micros / 10 % 10))
        bytes.append(0x30 + UInt8(micros % 10))
    }
}
