/// The record of a change that is about to be made.
package struct AuditDraft: Sendable {
    /// Without number and digests, which the store adds.
    package var record: AuditRecord
    /// Makes the digests. Called on the store's thread, possibly twice.
    package var digest: @Sendable ([UInt8]) -> String

    package init(_ record: AuditRecord, digest: @escaping @Sendable ([UInt8]) -> String) {
        self.record = record
        self.digest = digest
    }

    /// The stored thing whose bodies the digests are of; nil where there is none.
    package var body: Body? {
        switch record.kind {
        case "secrets": .setting(.secret)
        case "connections": .setting(.connection)
        case "queues": .setting(.queue)
        case "hosts": .setting(.origin)
        case "hooks": .setting(.hook)
        case "templates": .template
        case "schedules": .schedule
        default: nil
        }
    }

    /// A place of bodies by name.
    package enum Body: Sendable, Hashable {
        case setting(SettingKind), template, schedule

        /// The rows among which it is.
        package var whole: WriteNeeds.Whole {
            switch self {
            case .setting: .settings
            case .template: .templates
            case .schedule: .schedules
            }
        }
    }

    /// The record with the digests of these bodies.
    package func record(before: [UInt8]?, after: [UInt8]?) -> AuditRecord {
        var record = record
        record.before = before.map(digest)
        record.after = after.map(digest)
        return record
    }
}
