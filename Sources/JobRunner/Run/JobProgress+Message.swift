internal import JobKit
internal import JobStore

extension JobProgress {
    /// The subject of messages with the progress of a job.
    static let subject = "progress"

    /// The coding in messages: numbers and unit with spaces between.
    var message: [UInt8] { Array("\(done) \(total.map(String.init) ?? "-") \(unit ?? "")".utf8) }

    init?(message: [UInt8]) {
        let parts = message.split(
            separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 3, let done = Int64(parts[0]) else { return nil }
        self.init(done: done, total: Int64(parts[1]), unit: parts[2].isEmpty ? nil : parts[2])
    }
}

extension OperationCounts {
    /// The subject of messages with the counts of a job.
    static let subject = "operations"

    /// The coding in messages: numbers with spaces between.
    var message: [UInt8] {
        Array("\(total) \(done) \(failed) \(estimatedUntil.map { String($0.milliseconds) } ?? "-")".utf8)
    }

    init?(message: [UInt8]) {
        let parts = message.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 4, let total = Int(parts[0]), let done = Int(parts[1]),
            let failed = Int(parts[2])
        else { return nil }
        self.init(
            total: total, done: done, failed: failed,
            estimatedUntil: Int64(parts[3]).map(Timestamp.init(milliseconds:)))
    }
}
