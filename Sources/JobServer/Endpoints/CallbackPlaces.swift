import DurableJobs
import JobKit
import JobSpec
import JobStore

/// Whether all servers of a store know the callback URLs of a new job.
enum CallbackPlaces {
    /// Refuses a spec that hands out callback URLs while another server has another key.
    static func check(_ spec: JobSpec, _ context: RequestContext) throws(Problem) {
        guard spec.callbackPlace != nil, context.server.store.isShared else { return }
        let mark = context.secrets.keyMark
        let servers = try stored(context.reader.servers())
        guard let other = servers.first(where: { $0.secretKey.map { $0 != mark } ?? false }) else { return }
        throw Problem(
            .secretKeyMismatch,
            "The server \(other.id) on \(other.host) has another secret key, so it would not know the callback URLs. "
                + "Start all servers with the same key file (--secret-key-file).")
    }
}
