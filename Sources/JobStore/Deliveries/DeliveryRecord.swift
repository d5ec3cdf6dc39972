package import JobKit
internal import StrictJSON

/// A request from outside to a hook, and what became of it.
package struct DeliveryRecord: Sendable, Hashable {
    /// The end of a delivery.
    package enum Outcome: Int64, Sendable, Hashable, CaseIterable {
        /// It made a job.
        case started = 1
        /// It sent a signal.
        case signalled = 2
        /// It did nothing, and is not to do anything.
        case ignored = 3
        /// It came before.
        case duplicate = 4
        /// It was not taken.
        case refused = 5

        /// The word for it.
        package var word: String {
            switch self {
            case .started: "started"
            case .signalled: "signalled"
            case .ignored: "ignored"
            case .duplicate: "duplicate"
            case .refused: "refused"
            }
        }

        package init?(word: String) {
            guard let known = Self.allCases.first(where: { $0.word.utf8.elementsEqual(word.utf8) }) else {
                return nil
            }
            self = known
        }
    }

    /// The bytes of bodies after which a sweep goes on in its next turn.
    package static let sweepBytesMax = 16 << 20

    package var id: DeliveryID
    /// The name of the hook.
    package var hook: String
    package var outcome: Outcome
    /// The job that it made, or that got its signal.
    package var job: JobID?
    /// The address of its sender.
    package var sender = ""
    /// The id that its sender gave it.
    package var key: String?
    /// A word for why it was refused or ignored, and a sentence about it.
    package var reason: String?
    package var detail: String?
    /// The delivery that it repeats, or that a person had sent again.
    package var first: DeliveryID?
    /// The number of requests that it stands for: of many that are refused in a short time, few are kept.
    package var times: Int64 = 1
    /// The number of bytes of its body.
    package var byteCount = 0
    /// The digests by which it is known again.
    package var keys: [[UInt8]] = []
    /// Method, query and fields as JSON; empty where it is not kept, and in lists.
    package var head: [UInt8] = []
    /// The body; empty where it is not kept, and in lists.
    package var body: [UInt8] = []

    package init(id: DeliveryID, hook: String, _ outcome: Outcome) {
        self.id = id
        self.hook = hook
        self.outcome = outcome
    }

    package var receivedAt: Timestamp { id.bits.createdAt }

    /// The approximate size of what it stores.
    package var bytes: Int { head.count + body.count }

    /// The members that are stored together.
    package var facts: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("sender", sender)
        json.member("key", ifKnown: key)
        json.member("reason", ifKnown: reason)
        json.member("detail", ifKnown: detail)
        json.member("first", ifKnown: first?.description)
        if times != 1 { json.member("times", times) }
        json.member("bytes", byteCount)
        json.endObject()
        return json.bytes
    }

    /// Reads what `facts` wrote.
    private mutating func read(facts: [UInt8]) {
        guard let object = (try? JSONParser.parse(facts))?.object else { return }
        sender = object["sender"]?.string ?? ""
        key = object["key"]?.string
        reason = object["reason"]?.string
        detail = object["detail"]?.string
        first = object["first"]?.string.flatMap { DeliveryID($0) }
        times = object["times"]?.number?.int64 ?? 1
        byteCount = object["bytes"]?.number?.int ?? 0
    }
}

extension DeliveryRecord: TableRow {
    package static let table = StoredTable(
        "delivery",
        [
            "id": .id, "hook": .text, "outcome": .number, "job": .id, "facts": .bytes, "keys": .bytes,
            "head": .bytes, "body": .bytes,
        ])

    /// The digests by which deliveries are known again, each with its delivery.
    package static let keyTable = StoredTable("delivery_key", ["key": .bytes, "delivery": .id])

    /// The columns of a list: without the content.
    /// - Parameter none: no bytes, as the engine writes them.
    package static func listColumns(_ none: String) -> String {
        table.columns.map { ["head", "body"].contains($0.name) ? none : $0.name }.joined(separator: ", ")
    }

    package init?(_ row: inout RowValues) {
        let (id, hook) = (DeliveryID(bits: row.id()), row.text())
        guard let outcome = Outcome(rawValue: row.number()) else { return nil }
        self.init(id: id, hook: hook, outcome)
        job = row.optionalID()
        read(facts: row.bytes())
        keys = Self.keys(in: row.bytes())
        head = row.bytes()
        body = row.bytes()
    }

    package var values: [StoredValue] {
        [
            .id(id.bits), .text(hook), .number(outcome.rawValue), .init(job), .bytes(facts),
            .bytes(keyBytes), .bytes(head), .bytes(body),
        ]
    }

    /// The keys behind each other, each after its length.
    package var keyBytes: [UInt8] {
        var bytes: [UInt8] = []
        for key in keys {
            bytes.append(UInt8(key.count))
            bytes += key
        }
        return bytes
    }

    /// Reads what `keyBytes` wrote.
    package static func keys(in bytes: [UInt8]) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var rest = bytes[...]
        while let count = rest.popFirst() {
            keys.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        return keys
    }
}

extension DeliveryID {
    /// The id before all others of a time.
    package static func first(at time: Timestamp) -> DeliveryID {
        DeliveryID(bits: JobID(high: UInt64(clamping: time.milliseconds) << 16, low: 0))
    }
}

/// Reads of deliveries to hooks.
package protocol DeliveryReads: Sendable {
    /// A delivery with its head and body; nil when there is none.
    func delivery(_ id: DeliveryID) throws(JobStoreError) -> DeliveryRecord?

    /// Up to `limit` (1…10,000) deliveries to a hook before `id` (nil for all), the newest first, without head and
    /// body.
    /// - Parameter outcome: nil for any.
    func deliveries(
        to hook: String, outcome: DeliveryRecord.Outcome?, before id: DeliveryID?, limit: Int
    ) throws(JobStoreError) -> [DeliveryRecord]
}
