/// Keeps templates in all their versions.
package protocol TemplateStore: Sendable {
    /// Stores a template as the next version of its name, unless the newest one has the same body.
    /// - Throws (in the reply): `.templatesFull`.
    func put(
        _ template: TemplateRecord,
        reply: @escaping @Sendable (Result<TemplateReceipt, JobStoreError>) -> Void)

    /// Removes all versions of a template.
    /// - Throws (in the reply): `.noTemplate`.
    func removeTemplate(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}
