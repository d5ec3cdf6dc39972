extension ProblemCatalog {
    /// Problems of secrets and connections.
    static func settingEntry(_ kind: ProblemKind) -> ProblemEntry? {
        switch kind {
        case .secretNotFound:
            ProblemEntry(
                status: 404, code: "secret.not_found", title: "There is no such secret",
                meaning: "No secret has this name.", remedy: "GET /v1/secrets lists them.")
        case .connectionNotFound:
            ProblemEntry(
                status: 404, code: "connection.not_found", title: "There is no such connection",
                meaning: "No connection has this name.", remedy: "GET /v1/connections lists them.")
        case .settingsFull:
            ProblemEntry(
                status: 409, code: "settings.full", title: "There are too many of them",
                meaning: "One server holds 1,000 secrets and 1,000 connections.",
                remedy: "Delete those that are not needed.")
        case .originNotFound:
            ProblemEntry(
                status: 404, code: "origin.not_found", title: "Nothing is known about this host",
                meaning:
                    "No job has called it recently. Origins are forgotten when no job calls them, and at a restart.",
                remedy: "Look at the list: GET /v1/origins.")
        default: nil
        }
    }
}
