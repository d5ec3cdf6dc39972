import JobKit
import JobStore
import StrictJSON

/// What a look at all that is stored found, on its way from the server to a command.
struct StoreReport: Sendable, Hashable {
    /// What is wrong, one line each; empty when nothing is.
    var damage: [String] = []
    /// Whether all of it was looked at.
    var isComplete = true
    /// Why the store takes no writes; nil when it does.
    var trouble: String?
    /// How many jobs there are in each state.
    var jobs: [String: Int] = [:]
    /// How many have been due for more than five minutes.
    var overdue = 0
    /// How many are held by a run whose lease is over.
    var abandoned = 0
    /// How many secrets there are.
    var secrets = 0
    /// How many files with content are not there, or do not hold what was stored.
    var filesLost = 0
    /// The first of them, below the data directory; nil when there is none.
    var firstLost: String?
    /// When the newest was made, in milliseconds since 1970.
    var newest: Int64?
    /// How long the look took, in milliseconds.
    var milliseconds: Int64 = 0

    /// The report of a store.
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

    /// The report that a server sent; nil when it is none.
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

    /// Adds the members of an object.
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
