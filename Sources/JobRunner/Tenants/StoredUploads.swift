internal import JobKit
internal import JobStore

/// The uploads in the store, as calls look them up.
final class StoredUploads: UploadBook {
    private let store: any StoreReading
    private let tenant: Tenant?

    /// - Parameter tenant: whose uploads; nil are those without a tenant.
    init(store: any StoreReading, tenant: Tenant? = nil) {
        self.store = store
        self.tenant = tenant
    }

    func content(of id: UploadID) async throws(ArtifactFailure) -> UploadedContent? {
        let found: UploadRecord?
        do throws(JobStoreError) {
            found = try await store.read { reader throws(JobStoreError) in try reader.upload(id) }
        } catch {
            throw ArtifactFailure(.unavailable, error.detail)
        }
        guard let found, found.tenant == tenant else { return nil }
        return UploadedContent(artifact: found.artifact, contentType: found.contentType)
    }
}
