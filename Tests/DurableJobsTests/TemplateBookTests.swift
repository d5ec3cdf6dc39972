import DurableJobs
import JobStore
import Testing

/// A store without an answer.
private struct SilentTemplates: TemplateReads {
    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? {
        throw JobStoreError(.unavailable, "The database does not answer.")
    }

    func templates() throws(JobStoreError) -> [TemplateRecord] { [] }
}

private struct NoTemplates: TemplateReads {
    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord? { nil }
    func templates() throws(JobStoreError) -> [TemplateRecord] { [] }
}

@Suite struct `The templates of a submission` {
    @Test func `are not missing when the store does not answer`() {
        let book = TemplateBook(SilentTemplates())
        #expect(book.lookup("resize") == nil)
        #expect(book.failure?.code == .unavailable)
        let empty = TemplateBook(NoTemplates())
        #expect(empty.lookup("resize") == nil)
        #expect(empty.failure == nil)
    }
}
