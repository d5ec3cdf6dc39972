import JobKit
import JobStore
import StrictJSON

/// The JSON of servers.
enum ServerBody {
    /// - Parameter this: the server that answers.
    static func append(_ server: ServerRecord, this: OwnerID?, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", server.id.description)
        json.member("host", server.host)
        json.member("version", server.version)
        if let address = server.address { json.member("address", address) }
        json.member("started_at", server.startedAt)
        if let until = server.leaseUntil { json.member("lease_until", until) }
        json.member("running_jobs", server.running)
        json.member("answers", server.id == this)
        json.endObject()
    }
}
