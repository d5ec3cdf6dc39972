import HTTPMessage

/// `GET /metrics`: metrics in Prometheus' text format.
enum MetricsPage {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let text = PrometheusText.render(context.server)
        var fields = HTTPFields()
        fields.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(Array(text.utf8))))
    }
}
