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
        var grant = GrantRecord(name: try context.name(of: .grant))
        try read(context.request, into: &grant)
        grant.updatedAt = context.startedAt
        grant.updatedBy = context.caller.by
        let now = context.startedAt
        context.auditedStore.perform(GrantDecision(grant, at: now)) { result in
            if case .success(let receipt) = result {
                log(context, receipt)
                if receipt.wake.isMore { context.server.engine.wakeSettled() }
            }
            context.goOn { () throws(Problem) in
                let receipt = try stored(result.get())
                context.answer(
                    receipt.isNew ? .created : .ok,
                    json: GrantBody.bytes(receipt.grant, waiting: [], at: now))
            }
        }
    }

    /// Removes the grant: 204. Jobs that wait for it ask again.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .grant)
        context.auditedStore.perform(GrantRemoval(name, at: context.startedAt)) { result in
            if case .success(let receipt) = result, receipt.isMore { context.server.engine.wakeSettled() }
            context.goOn { () throws(Problem) in
                _ = try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    private static func read(_ request: HTTPRequest, into grant: inout GrantRecord) throws(Problem) {
        var body = try CommandBody(request)
        let words = GrantStatus.allCases.filter { $0 != .expired }.map(\.rawValue)
        let word = body.value("status")
        if let status = word?.string.flatMap(GrantStatus.init(rawValue:)), status != .expired {
            grant.decided = status
        } else {
            body.refuse(
                "status", "status must be one of \(words.joined(separator: ", "))",
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
            body.refuse("status", "scopes and expires_at belong to the status granted")
        }
        try body.finish()
    }

    private static func log(_ context: RequestContext, _ receipt: GrantReceipt) {
        context.server.metrics.countGrant()
        context.server.log.write(.info, "grant_decided") { line in
            line.member("grant", receipt.grant.name)
            line.member("status", receipt.grant.decided.rawValue)
            line.member("by", by: receipt.grant.updatedBy ?? "")
            line.member("jobs_woken", Int64(receipt.wake.woken))
            if receipt.wake.isMore { line.member("more_jobs_follow", true) }
        }
    }
}
