import JobKit
package import JobSpec
package import JobStore
import StrictJSON
import Synchronization

/// The templates of one submission: looked up once in the store, and stored with the job.
package final class TemplateBook: Sendable {
    private let reader: any TemplateReads
    private let trouble = Mutex<JobStoreError?>(nil)
    private let used = Mutex<[ByteKey: (definition: TemplateDefinition, body: JSONValue)]>([:])

    package init(_ reader: any TemplateReads) { self.reader = reader }

    /// The first failure of the store: a template may have seemed to be missing. Check it when a spec has problems.
    package var failure: JobStoreError? { trouble.withLock { $0 } }

    /// Whether no template was used, so that the spec is stored as given.
    var isUnused: Bool { used.withLock { $0.isEmpty } }

    /// Finds a template by its reference in a spec: `resize` or `resize@3`.
    package var lookup: TemplateLookup { { self.find($0) } }

    /// The text of the spec with the templates that it uses.
    /// - Throws: a problem when the spec with its templates is too large or too deep.
    func pinned(in spec: JSONValue, now: Timestamp) throws(Intake.Refusal) -> [UInt8] {
        let used = used.withLock { $0 }
        let whole = PinnedTemplates.pin(used, in: spec).encoded()
        guard case .success = JobSpecReader.readStored(whole, now: now) else {
            throw .problem(
                .tooLarge, at: .root,
                "Together with its templates the spec is too large or nested too deeply.")
        }
        return whole
    }

    private func find(_ reference: String) -> TemplateDefinition? {
        let key = ByteKey(reference)
        if let known = used.withLock({ $0[key] }) { return known.definition }
        let parts = reference.utf8.split(
            separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        let version = parts.count > 1 ? Int64(String(Substring(parts[1]))) : nil
        if parts.count > 1 && version == nil { return nil }
        guard let record = record(String(Substring(parts[0])), version),
            let body = try? JSONParser.parse(record.body, limits: TemplateReader.storedLimits(record.body)),
            let definition = TemplateReader.stored(body, name: record.name, version: record.version)
        else { return nil }
        used.withLock { $0[key] = (definition, body) }
        return definition
    }

    private func record(_ name: String, _ version: Int64?) -> TemplateRecord? {
        do throws(JobStoreError) { return try reader.template(name, version: version) } catch {
            trouble.withLock { $0 = $0 ?? error }
            return nil
        }
    }
}
