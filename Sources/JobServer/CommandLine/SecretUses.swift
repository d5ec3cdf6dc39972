import JobKit
import JobStore
import StrictJSON

// DESIGN
// A text refers to a secret by `{"$secret": "name"}`, to a connection by `"connection": "name"` and to a template by
// `"template": "name"` or `"name@version"`. Connections, templates, schedules and the specs of jobs are read for these
// members alone: also one that this program could not run any more is found.

/// The places that refer to some secrets, directly or through connections and templates. Names are stored ones.
struct SecretUses {
    /// The places that refer to one secret.
    struct Places {
        /// The names, by kind.
        var names: [(kind: String, name: String)] = []
        /// Unfinished jobs, and the ids of the first of them.
        var jobCount = 0
        var jobs: [JobID] = []
    }

    /// By the name of the secret.
    private(set) var places: [String: Places] = [:]
    /// The secrets that connections and templates refer to, by kind and name.
    private var known: [String: Set<String>] = [:]
    private let wanted: Set<String>
    private static let jobsShown = 3
    private static let page = 500
    private static let members = ["$secret", "connection", "template"]

    init(of secrets: some Sequence<String>, in reader: any JobReader) throws(JobStoreError) {
        wanted = Set(secrets)
        if wanted.isEmpty { return }
        for record in try reader.settings(.connection) { note("connection", record.name, record.body) }
        for record in try reader.settings(.hook) { note("hook", record.name, record.body) }
        try readTemplates(reader)
        try readSchedules(reader)
        try readJobs(reader)
    }

    private mutating func readTemplates(_ reader: any JobReader) throws(JobStoreError) {
        var bodies: [(name: String, body: [UInt8])] = []
        for record in try reader.templates() {
            guard let newest = try reader.template(record.name, version: nil) else { continue }
            bodies.append((record.name, newest.body))
        }
        // A template may use others, which come first then.
        for _ in 0..<bodies.count {
            let before = known
            for each in bodies {
                known["template " + each.name, default: []].formUnion(secrets(in: each.body, of: each.name))
            }
            if known == before { break }
        }
        for each in bodies { note("template", each.name, each.body) }
    }

    private mutating func readSchedules(_ reader: any JobReader) throws(JobStoreError) {
        var last = ""
        while true {
            let found = try reader.schedules(after: last, limit: Self.page)
            guard let end = found.last else { return }
            for record in found { note("schedule", record.name, record.body) }
            last = end.name
        }
    }

    private mutating func readJobs(_ reader: any JobReader) throws(JobStoreError) {
        var query = JobListQuery()
        query.states = Set(JobState.allCases.filter { !$0.isFinal })
        query.limit = Self.page
        while true {
            let page = try reader.list(query)
            for job in page.jobs {
                guard let spec = try reader.spec(job.id) else { continue }
                for secret in secrets(in: spec, of: job.queue) {
                    places[secret, default: Places()].jobCount += 1
                    if places[secret, default: Places()].jobs.count < Self.jobsShown {
                        places[secret, default: Places()].jobs.append(job.id)
                    }
                }
            }
            guard let next = page.next else { return }
            query.after = next.id
        }
    }

    private mutating func note(_ kind: String, _ name: String, _ body: [UInt8]) {
        let found = secrets(in: body, of: name)
        known["\(kind) \(name)"] = found
        for secret in found { places[secret, default: Places()].names.append((kind, name)) }
    }

    /// The wanted secrets that a document refers to.
    /// - Parameter owner: a stored name of the tenant whose document it is.
    private func secrets(in document: [UInt8], of owner: String) -> Set<String> {
        guard let value = try? JSONParser.parse(document, limits: .written(document)) else { return [] }
        let tenant = Tenant(ofStored: owner)
        var found: Set<String> = []
        Self.visit(value) { member, name in
            let stored = tenant?.stored(name) ?? name
            if member == "$secret" {
                if wanted.contains(stored) { found.insert(stored) }
            } else {
                found.formUnion(known["\(member) \(stored)"] ?? [])
            }
        }
        return found
    }

    private static func visit(_ value: JSONValue, _ tell: (_ member: String, _ name: String) -> Void) {
        switch value {
        case .array(let elements):
            for element in elements { visit(element, tell) }
        case .object(let object):
            for member in object.members {
                guard case .string(let text) = member.value else {
                    visit(member.value, tell)
                    continue
                }
                guard let known = members.first(where: member.name.hasSameBytes) else { continue }
                tell(known, String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "@") })))
            }
        default: break
        }
    }
}
