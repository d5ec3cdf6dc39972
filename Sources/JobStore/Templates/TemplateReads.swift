package protocol TemplateReads: Sendable {
    /// A version of a template, the newest when `version` is nil; nil when there is none.
    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord?

    /// The newest version of each template without its body, by name.
    func templates() throws(JobStoreError) -> [TemplateRecord]
}
