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
    package var receivedAt: Timestamp
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
    /// Method, query and fields as JSON; empty where it is not kept, and in lists.
    package var head: [UInt8] = []
    /// The body; empty where it is not kept, and in lists.
    package var body: [UInt8] = []

    package init(id: DeliveryID, hook: String, at time: Timestamp, _ outcome: Outcome) {
        self.id = id
        self.hook = hook
        self.outcome = outcome
        receivedAt = time
    }

    /// The approximate size of what it stores.
    package var bytes: Int { head.count + body.count }

    /// The members that are stored together.
    package var facts: [UInt8] {
        var object = JSONObject()
        object["sender"] = .string(sender)
        object["key"] = key.map(JSONValue.string)
        object["reason"] = reason.map(JSONValue.string)
        object["detail"] = detail.map(JSONValue.string)
        object["first"] = first.map { .string($0.description) }
        object["times"] = .number(JSONNumber(times))
        object["bytes"] = .number(JSONNumber(Int64(byteCount)))
        return JSONValue.object(object).encoded()
    }

    /// Reads what `facts` wrote.
    package mutating func read(facts: [UInt8]) {
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
