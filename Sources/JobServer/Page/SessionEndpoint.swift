import EventIO
import HTTPMessage
import StrictJSON

// DESIGN
// The path is directly below the server's root, and the cookie has no `Path`: so it applies to everything below the
// folder of that path as the browser sees it (RFC 6265 §5.1.4), which is the prefix of a proxy, whatever that is. It is
// `Secure` when the Origin of the page has https, or a trusted proxy says so.

/// `/session`: the permissions of the page, signing in with a token, and signing out.
enum SessionEndpoint {
    /// `GET`: the caller and its permissions.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let entry = context.server.gate.entry(of: context.request.head)
        let isValid = entry.map { !$0.isExpired(at: context.startedAt) } ?? false
        answer(context, isValid ? entry : nil, HTTPFields())
    }

    /// `POST`: exchanges a token for the cookie of a new session, and ends the previous one.
    static func begin(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var body = try CommandBody(context.request)
        let token = body.text("token", bytesMax: 512)
        try body.finish()
        let gate = context.server.gate
        guard gate.asksForToken else { return answer(context, nil, HTTPFields()) }
        let known = token.flatMap { gate.entry(token: $0.utf8) }
        guard let entry = known, !entry.isExpired(at: context.startedAt) else {
            let detail =
                known == nil
                ? "This server does not know the token. Tokens begin with \"js_\"."
                : "The token has expired."
            throw Problem(
                .invalidBody, detail,
                items: [Problem.Item(.pointer("/token"), code: "body.value", detail: detail)])
        }
        gate.sessions.end(of: context.request.head)
        let value = gate.sessions.begin(tokenDigest: entry.digest)
        gate.reviewSessions()
        var fields = HTTPFields()
        fields.add("Set-Cookie", cookie(value, seconds: PageSessions.secondsMax, context))
        answer(context, entry, fields)
    }

    /// `DELETE`: ends the session.
    static func end(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        context.server.gate.sessions.end(of: context.request.head)
        context.server.gate.reviewSessions()
        var fields = HTTPFields()
        fields.add("Set-Cookie", cookie("", seconds: 0, context))
        context.answer(HTTPResponse(status: .noContent, fields: fields, body: .empty))
    }

    private static func cookie(_ value: String, seconds: Int64, _ context: RequestContext) -> String {
        let fields = context.request.head.fields
        let isSecure =
            fields.first("origin")?.starts(with: "https://".utf8) == true
            || context.server.entrance.proxies.isSecure(fields, from: context.exchange.peer.address)
        return "\(PageSessions.cookie)=\(value); Max-Age=\(seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    private static func answer(
        _ context: RequestContext, _ entry: TokenEntry?, _ fields: consuming HTTPFields
    ) {
        let asksForToken = context.server.gate.asksForToken
        var json = JSONWriter()
        json.beginObject()
        json.member("asks_for_token", asksForToken)
        json.member("page", context.server.entrance.page.mode.rawValue)
        if let entry { json.member("name", entry.name) }
        if let tenant = entry?.tenant { json.member("tenant", tenant) }
        let scopes = asksForToken ? entry?.permitted ?? [] : AccessScope.allCases
        json.name("scopes")
        json.beginArray()
        for scope in scopes { json.value(scope.rawValue) }
        json.endArray()
        json.endObject()
        fields.add("Cache-Control", "no-store")
        context.answer(.ok, fields, json: json.bytes)
    }
}
