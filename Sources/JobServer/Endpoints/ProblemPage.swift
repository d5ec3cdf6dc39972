import HTTPMessage
import StrictJSON

/// `GET /v1/problems/{slug}`: the meaning of a kind of problem and its remedy.
enum ProblemPage {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let slug = String(decoding: context.parameter.prefix(100), as: UTF8.self)
        guard let kind = ProblemKind(rawValue: slug) else {
            let known = ProblemKind.allCases.map(\.rawValue)
            let nearest = SpellingSuggestion.nearest(to: slug, in: known).map { " Did you mean \($0)?" } ?? ""
            throw Problem(.notFound, "There is no kind of problem \"\(slug)\".\(nearest)")
        }
        let entry = ProblemCatalog.entry(kind)
        var json = JSONWriter()
        json.beginObject()
        json.member("type", "/v1/problems/" + slug)
        json.member("title", entry.title)
        json.member("status", entry.status)
        json.member("code", entry.code)
        json.member("retryable", entry.retryable)
        json.member("meaning", entry.meaning)
        json.member("remedy", entry.remedy)
        json.endObject()
        context.answer(.ok, json: json.line())
    }
}
