import JobKit
import JobStore
import StrictJSON

/// The beginning and the end of the JSON of anything that is stored under a name.
struct NamedHead: Sendable {
    let name: String
    /// The version; nil for what has no spec.
    var version: Int64?
    /// The spec as JSON; nil for what has none, or where it is left out.
    var spec: [UInt8]?
    private let created, updated: (at: Timestamp, by: String)?

    /// The head of what has no spec.
    init(_ name: String) {
        self.name = name
        (created, updated) = (nil, nil)
    }

    init(_ setting: SettingRecord) {
        name = setting.name
        version = setting.version
        spec = setting.body
        created = (setting.createdAt, setting.createdBy)
        updated = (setting.updatedAt, setting.updatedBy)
    }

    init(_ schedule: ScheduleRecord) {
        name = schedule.name
        version = schedule.version
        spec = schedule.body
        created = (schedule.createdAt, schedule.createdBy)
        updated = (schedule.updatedAt, schedule.updatedBy)
    }

    /// - Parameter withSpec: whether the record has its body.
    init(_ template: TemplateRecord, withSpec: Bool) {
        name = template.name
        version = template.version
        spec = withSpec ? template.body : nil
        created = (template.firstAt, template.firstBy)
        updated = (template.createdAt, template.createdBy)
    }

    init(_ grant: GrantRecord, spec: [UInt8]) {
        name = grant.name
        version = grant.version
        self.spec = spec
        created = grant.createdAt.map { ($0, grant.createdBy ?? "") }
        updated = grant.updatedAt.map { ($0, grant.updatedBy ?? "") }
    }

    /// Writes one JSON object.
    /// - Parameter state: writes the members that the server says.
    func write(to json: inout JSONWriter, state: (inout JSONWriter) -> Void = { _ in }) {
        json.beginObject()
        json.member("name", name)
        if let version { json.member("version", version) }
        if let spec {
            json.name("spec")
            json.raw(spec)
        }
        state(&json)
        if let created {
            json.member("created_at", created.at)
            json.member("created_by", by: created.by)
        }
        if let updated {
            json.member("updated_at", updated.at)
            json.member("updated_by", by: updated.by)
        }
        json.endObject()
    }
}
