import JobKit
import JobStore
import StrictJSON

/// The JSON of servers.
enum ServerBody {
    /// - Parameter this: the server that answers.
    static func bytes(_ servers: [ServerRecord], this: OwnerID?) -> [UInt8] {
        var json = JSONWriter(capacity: 256 * (servers.count + 1))
        json.beginObject()
        json.name("items")
        json.beginArray()
        for server in servers {
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
        json.endArray()
        json.endObject()
        return json.line()
    }
}
