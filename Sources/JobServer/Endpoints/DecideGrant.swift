import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// `PUT` and `DELETE /v1/grants/{name}`: sets or removes a grant and wakes the jobs that wait for it.
enum DecideGrant {
    /// The maximum length of the reason, in bytes.
    static let reasonBytesMax = 1_000
    /// The maximum number of scopes of one grant.
    static let scopesMax = 100

    /// Stores the grant: 201 when it is new, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .grant)
        let body = try NamedBody(context, name, state: GrantBody.state)
        var grant = try body.read { spec throws(Problem) in try read(spec, of: name) }
        let version = try stored(context.reader.grant(name))?.version ?? 0
        grant.updatedAt = context.startedAt
        grant.updatedBy = context.caller.by
        let now = context.startedAt
        let decision = GrantDecision(grant, at: now, ifVersion: try body.expected(of: name, now: version))
        context.auditedStore.perform(decision) { result in
            if case .success(let receipt) = result {
                if !receipt.changedNothing { log(context, receipt) }
                if receipt.wake.isMore { context.server.engine.wakeSettled() }
            }
            context.goOn { () throws(Problem) in
                let receipt = try stored(result.get())
                let grant = receipt.grant
                context.answer(
                    receipt.isNew ? .created : .ok, fields(grant),
                    json: GrantBody.bytes(grant, waiting: [], at: now))
            }
        }
    }

    /// Removes the grant: 204. Jobs that wait for it ask again.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .grant)
        let condition = try VersionCondition(context.request.head.fields)
        var removal = GrantRemoval(name, at: context.startedAt)
        if let grant = try stored(context.reader.grant(name)) {
            removal.ifVersion = try condition.version(of: name, now: grant.version)
        }
        context.auditedStore.perform(removal) { result in
            if case .success(let receipt) = result, receipt.isMore { context.server.engine.wakeSettled() }
            context.goOn { () throws(Problem) in
                _ = try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    /// The fields of an answer that shows a grant: one without a decision has no version that a change could expect.
    static func fields(_ grant: GrantRecord) -> HTTPFields {
        var fields = HTTPFields()
        if grant.version > 0 { fields.add("ETag", VersionCondition.tag(grant.version)) }
        return fields
    }

    private static func read(_ spec: JSONValue, of name: String) throws(Problem) -> GrantRecord {
        var grant = GrantRecord(name: name)
        var body = try CommandBody(spec)
        let words = GrantStatus.allCases.filter { $0 != .expired }.map(\.rawValue)
        let word = body.value("state")
        if let status = word?.string.flatMap(GrantStatus.init(rawValue:)), status != .expired {
            grant.decided = status
        } else {
            body.refuse(
                "state", "state must be one of \(words.joined(separator: ", "))",
                suggestion: word?.string.flatMap { SpellingSuggestion.nearest(to: $0, in: words) })
        }
        grant.reason = body.text("reason", bytesMax: reasonBytesMax)
        if let value = body.value("scopes") {
            let scopes = value.array?.compactMap(\.string) ?? []
            if scopes.count == value.array?.count, scopes.count <= scopesMax,
                scopes.allSatisfy(GrantText.isScope)
            {
                grant.scopes = scopes
            } else {
                body.refuse(
                    "scopes", "scopes must be a list of at most \(scopesMax) words without spaces")
            }
        }
        if let value = body.value("expires_at") {
            grant.expiresAt = value.string.flatMap { try? Timestamp.parse($0) }
            if grant.expiresAt == nil {
                body.refuse(
                    "expires_at", "expires_at must be a time such as \"2026-11-21T10:00:00Z\"")
            }
        }
        if grant.decided != .granted, !grant.scopes.isEmpty || grant.expiresAt != nil {
            body.refuse("state", "scopes and expires_at belong to the state granted")
        }
        try body.finish()
        return grant
    }

    private static func log(_ context: RequestContext, _ receipt: GrantReceipt) {
        context.server.metrics.countGrant()
        context.server.log.write(.info, "grant_decided") { line in
            line.member("grant", receipt.grant.name)
            line.member("state", receipt.grant.decided.rawValue)
            line.member("by", by: receipt.grant.updatedBy ?? "")
            line.member("jobs_woken", Int64(receipt.wake.woken))
            if receipt.wake.isMore { line.member("more_jobs_follow", true) }
        }
    }
}
