import JobKit
import JobStore
import StrictJSON

/// The outcome of a store verification, as a server sends it to a command.
struct StoreReport: Sendable, Hashable {
    /// The damage found, one line each.
    var damage: [String] = []
    /// Whether the verification covered the whole store.
    var isComplete = true
    /// The reason why the store is read-only; nil when it takes writes.
    var trouble: String?
    /// The number of jobs in each state.
    var jobs: [String: Int] = [:]
    /// The number of jobs that have been due for more than five minutes.
    var overdue = 0
    /// The number of jobs claimed by a run whose lease has expired.
    var abandoned = 0
    var secrets = 0
    /// The number of content files that are missing or do not match their digest.
    var filesLost = 0
    /// The first of these files, relative to the data directory; nil when there is none.
    var firstLost: String?
    /// The creation time of the newest job, in milliseconds since 1970.
    var newest: Int64?
    /// The duration of the verification, in milliseconds.
    var milliseconds: Int64 = 0

    init(_ report: IntegrityReport, trouble: String?) {
        switch report.outcome {
        case .sound: break
        case .damaged(let lines): damage = lines
        case .ended: isComplete = false
        }
        self.trouble = trouble
        for (state, count) in report.jobs { jobs[state.rawValue] = count }
        overdue = report.overdue
        abandoned = report.abandoned
        secrets = report.secrets
        filesLost = report.filesLost
        firstLost = report.firstLost
        newest = report.newestJob?.milliseconds
        milliseconds = report.duration.wholeMilliseconds
    }

    /// Parses the report that a server sent; nil when it is malformed.
    init?(_ json: JSONValue) {
        guard case .object(let object) = json, case .object(let counts)? = object["jobs"] else { return nil }
        func number(_ name: String) -> Int? { object[name]?.number?.int }
        damage = object["damage"]?.array?.compactMap(\.string) ?? []
        isComplete = object["complete"]?.bool ?? false
        trouble = object["trouble"]?.string
        for member in counts.members { jobs[member.name] = member.value.number?.int }
        overdue = number("overdue") ?? 0
        abandoned = number("abandoned") ?? 0
        secrets = number("secrets") ?? 0
        filesLost = number("files_lost") ?? 0
        firstLost = object["first_lost"]?.string
        newest = number("newest").map { Int64($0) }
        milliseconds = Int64(number("milliseconds") ?? 0)
    }

    func write(to json: inout JSONWriter) {
        json.name("damage")
        json.beginArray()
        for line in damage { json.value(line) }
        json.endArray()
        json.member("complete", isComplete)
        if let trouble { json.member("trouble", trouble) }
        json.name("jobs")
        json.beginObject()
        for (state, count) in jobs.sorted(by: { $0.key < $1.key }) { json.member(state, count) }
        json.endObject()
        json.member("overdue", overdue)
        json.member("abandoned", abandoned)
        json.member("secrets", secrets)
        json.member("files_lost", filesLost)
        if let firstLost { json.member("first_lost", firstLost) }
        if let newest { json.member("newest", newest) }
        json.member("milliseconds", milliseconds)
    }
}
