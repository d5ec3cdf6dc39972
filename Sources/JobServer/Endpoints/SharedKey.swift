import DurableJobs
import JobKit
import JobSpec
import JobStore

/// The secret key, which all servers of a store must have.
enum SharedKey {
    /// Refuses a change while another server has another key.
    /// - Parameter consequence: what the other server could not do.
    static func check(
        _ context: RequestContext, _ reader: any JobReader, else consequence: String
    ) throws(Problem) {
        let mark = context.secrets.keyMark
        let servers = try stored(reader.servers(countingJobs: false))
        guard let other = servers.first(where: { $0.secretKey.map { $0 != mark } ?? false }) else { return }
        throw Problem(
            .secretKeyMismatch,
            "The server \(other.id) on \(other.host) has another secret key, so \(consequence). "
                + "Start all servers with the same key file (--secret-key-file).")
    }

    /// Refuses a spec that hands out callback URLs while another server has another key.
    static func check(_ context: RequestContext, forCallbacksOf spec: JobSpec) throws(Problem) {
        guard spec.callbackPlace != nil else { return }
        try check(context, context.reader, else: "it would not know the callback URLs")
    }
}
