import JobKit
import JobStore
import MemoryStore

/// The care of the store, which a simulated one needs little of.
extension SimulatedStore {
    var artifacts: (any ArtifactPlace)? { nil }

    func close() async {}

    func checkHealth(reply: @escaping StoreReply<Void>) {
        write("try", reply) { $0.checkHealth(reply: $1) }
    }
}
