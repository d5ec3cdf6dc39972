import ContentFiles
import EventIO
import JobKit
import JobStore

extension ArtifactsAddress {
    /// The place at this address, which works.
    func open(reserve: DiskReserve = DiskReserve()) async throws(JobStoreError) -> any ContentBackend {
        let backend: any ContentBackend
        switch self {
        case .folder(let path):
            do throws(JobStoreError) { backend = try FolderBackend(path, reserve: reserve) } catch {
                throw JobStoreError(
                    .unavailable,
                    "\(error.detail) --artifacts needs a directory that can be written, in one that exists.")
            }
        case .s3(let address):
            do throws(EventIOError) { backend = try S3Backend(address) } catch {
                throw JobStoreError(.unavailable, error.description)
            }
        }
        do throws(ArtifactFailure) { try await backend.check() } catch {
            throw JobStoreError(.unavailable, error.detail)
        }
        return backend
    }
}
