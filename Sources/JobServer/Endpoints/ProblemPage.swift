import HTTPMessage
import StrictJSON

/// `/v1/problems`: the meaning of each kind of problem and its remedy.
enum ProblemPage {
    /// `GET /v1/problems`, by code.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/problems", &query)
        let all = ProblemKind.allCases.sorted { $0.code.utf8.lexicographicallyPrecedes($1.code.utf8) }
        try paging.answer(context, named: all, itemBytes: 512, name: { $0.code }) { write($0, to: &$1) }
    }

    /// `GET /v1/problems/{code}`
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let code = String(decoding: context.parameter.prefix(100), as: UTF8.self)
        guard let kind = ProblemKind(rawValue: code) else {
            let known = ProblemKind.allCases.map(\.code)
            let nearest = SpellingSuggestion.nearest(to: code, in: known).map { " Did you mean \($0)?" } ?? ""
            throw Problem(
                .notFound, "There is no kind of problem \"\(code)\".\(nearest) GET /v1/problems lists them.")
        }
        var json = JSONWriter()
        write(kind, to: &json)
        context.answer(.ok, json: json.line())
    }

    private static func write(_ kind: ProblemKind, to json: inout JSONWriter) {
        let entry = ProblemCatalog.entry(kind)
        json.beginObject()
        json.member("type", "/v1/problems/" + kind.code)
        json.member("title", entry.title)
        json.member("status", entry.status)
        json.member("code", kind.code)
        json.member("retryable", entry.retryable)
        json.member("meaning", entry.meaning)
        json.member("remedy", entry.remedy)
        json.endObject()
    }
}
