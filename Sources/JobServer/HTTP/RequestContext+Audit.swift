import EventIO
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto

extension RequestContext {
    /// The maximum length of what the record of a change names, in bytes: longer names are refused.
    private static let auditTargetMax = 800

    /// The store, which records the change that this request makes together with it.
    var auditedStore: any RequestStore {
        auditedStore(of: String(decoding: parameter.prefix(Self.auditTargetMax), as: UTF8.self))
    }

    /// The same for a change of something that the path does not name.
    func auditedStore(of target: String) -> any RequestStore {
        store.recording(
            AuditDraft(auditRecord(of: target)) { "sha256:" + HexText.encode(SHA256.digest(of: $0)) })
    }

    /// Records a change that is not made in the store.
    func recordChange() {
        let target = String(decoding: parameter.prefix(Self.auditTargetMax), as: UTF8.self)
        store.perform(auditRecord(of: target)) { _ in }
    }

    private func auditRecord(of target: String) -> AuditRecord {
        let (kind, action) = Self.change(of: route)
        return AuditRecord(
            at: startedAt, by: caller.by, kind: kind, action: action, target: target, requestID: requestID,
            address: server.entrance.client(of: request.head, from: exchange.peer).description)
    }

    /// The kind of thing that a route changes, and the change: `/v1/jobs/{id}:cancel` cancels one of the `jobs`,
    /// `PUT /v1/queues/{name}` puts one of the `queues`, `DELETE /v1/jobs/{id}` erases one of the `jobs`.
    static func change(of route: Route) -> (kind: String, action: String) {
        let path = route.pattern.text.dropFirst("/v1/".count)
        let kind = String(path.prefix { $0 != "/" && $0 != ":" })
        if let colon = path.lastIndex(of: ":") { return (kind, String(path[path.index(after: colon)...])) }
        let words = path.split(separator: "/").dropFirst().filter { !$0.hasPrefix("{") }
        let verb = route.method.description.lowercased()
        if route.method == .post { return (kind, words.last.map(String.init) ?? verb) }
        // A job is erased, here as by its retention and in bulk.
        return (kind, kind == "jobs" && verb == "delete" ? "erase" : verb)
    }
}
