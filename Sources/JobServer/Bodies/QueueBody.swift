import JobKit
import JobStore
import StrictJSON

/// The JSON of queues.
enum QueueBody {
    /// Writes a queue as one JSON object.
    /// - Parameter setting: its configuration; nil without one.
    static func append(_ standing: QueueStanding, _ setting: SettingRecord?, to json: inout JSONWriter) {
        var head = NamedHead(standing.name)
        if let setting {
            head = NamedHead(setting)
            head.spec = JSONValue.object(spec(setting)).encoded()
        }
        head.write(to: &json) { json in
            let obstacle = standing.obstacle
            json.member("state", obstacle?.state ?? "open")
            if let obstacle { json.member("detail", "Queue \(standing.name) \(obstacle.text).") }
            if let opens = obstacle?.opens { json.member("opens_at", opens) }
            json.member("waiting", standing.waiting)
            if standing.isAtLeast { json.member("waiting_is_lower_bound", true) }
            json.member("running", standing.running)
            if let oldest = standing.oldest { json.member("oldest_waiting_since", oldest) }
            if let room = standing.rateRoom { json.member("rate_available", room) }
        }
    }

    // MARK: Stored form

    /// Whether a stored configuration says that the queue is paused, which its spec does not.
    static func isPaused(_ setting: SettingRecord?) -> Bool { object(setting)["paused"] == .bool(true) }

    /// The spec of a stored configuration.
    static func spec(_ setting: SettingRecord?) -> JSONObject {
        var object = object(setting)
        object["paused"] = nil
        return object
    }

    /// The body that is stored.
    static func stored(_ spec: JSONObject, isPaused: Bool) -> [UInt8] {
        var object = spec
        if isPaused { object["paused"] = .bool(true) }
        return CanonicalJSON.encode(.object(object))
    }

    private static func object(_ setting: SettingRecord?) -> JSONObject {
        setting.flatMap { try? JSONParser.parse($0.body).object } ?? JSONObject()
    }

    static func bytes(_ standing: QueueStanding, _ setting: SettingRecord?) -> [UInt8] {
        var json = JSONWriter(capacity: 512 + (setting?.body.count ?? 0))
        append(standing, setting, to: &json)
        return json.line()
    }

    /// Writes a key as one JSON object.
    static func append(_ key: QueueKeyStanding, of queue: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("key", key.key)
        json.member("waiting", key.waiting)
        json.member("running", key.running)
        if let oldest = key.oldest { json.member("oldest_waiting_since", oldest) }
        json.member("state", key.obstacle?.state ?? "open")
        if let obstacle = key.obstacle {
            json.member("detail", "Key \(key.key) of queue \(queue) \(obstacle.text).")
        }
        if let opens = key.obstacle?.opens { json.member("opens_at", opens) }
        json.endObject()
    }
}

extension QueueObstacle {
    /// The word for the state of what it holds back.
    var state: String {
        switch self {
        case .paused: "paused"
        case .concurrency: "full"
        case .rate: "throttled"
        }
    }

    /// In words, to follow the name of what it holds back.
    var text: String {
        switch self {
        case .paused: "is paused"
        case .concurrency(let running, let most): "has \(running) of \(most) running"
        case .rate(let limit, _):
            "has begun as many as it may: \(limit.count) in \(DurationText.text(limit.per))"
        }
    }

    /// The time at which it ends; nil when that depends on more than time.
    var opens: Timestamp? {
        if case .rate(_, let opens) = self { return opens }
        return nil
    }
}
