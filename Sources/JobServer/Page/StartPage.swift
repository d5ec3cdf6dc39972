import HTTPMessage
import StrictJSON

/// `GET /`: redirects a browser to the page, and lists the entry points for a program.
enum StartPage {
    /// Answers according to `Accept`. The location of the page is relative, so that it is valid behind any proxy.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let hasPage = context.server.entrance.page.mode != .off
        let prefersPage = try Negotiation.prefers("text/html", in: context.request.head.fields)
        if hasPage, prefersPage { return redirect(context) }
        var json = JSONWriter()
        json.beginObject()
        json.member("api", context.base + "/v1")
        json.member("description", context.base + "/openapi.yaml")
        json.member("ready", context.base + "/readyz")
        if hasPage { json.member("page", context.base + "/page/") }
        json.endObject()
        var fields = HTTPFields()
        fields.add("Vary", "Accept")
        context.answer(.ok, fields, json: json.bytes)
    }

    /// `GET /v1`: the lists of the API, each with its path.
    static func index(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        var json = JSONWriter()
        json.beginObject()
        for path in context.server.entrance.router.lists {
            let name = path.dropFirst("/v1/".count).replacing("-", with: "_")
            json.member(String(name), context.base + path)
        }
        json.member("description", context.base + "/openapi.yaml")
        json.endObject()
        context.answer(.ok, json: json.line())
    }

    /// `GET /page`: redirects to the path with a trailing slash.
    static func redirect(_ context: RequestContext) {
        var fields = HTTPFields()
        fields.add("Location", "page/")
        fields.add("Vary", "Accept")
        context.answer(HTTPResponse(status: .seeOther, fields: fields, body: .empty))
    }
}
