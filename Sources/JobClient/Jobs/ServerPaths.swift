internal import HTTPMessage

/// The paths and the parameters of the API that the commands use, each said once.
enum ServerPaths {
    static let jobs = "/v1/jobs"
    static let events = "/v1/events"

    static func job(_ id: String) -> String { "\(jobs)/\(PercentCoding.encode(id))" }

    static func operation(_ path: String, of id: String) -> String {
        "\(job(id))/operations/\(PercentCoding.encode(path))"
    }

    /// A parameter of a query.
    static func parameter(_ name: String, _ value: String) -> String {
        "\(name)=\(PercentCoding.encode(value, for: .queryPart))"
    }

    /// The parameters of lists.
    enum Parameter {
        static let createdFrom = "created_from"
        static let idPrefix = "id_prefix"
        static let order = "order_by"
        static let pageSize = "page_size"
        static let pageToken = "page_token"
    }
}
