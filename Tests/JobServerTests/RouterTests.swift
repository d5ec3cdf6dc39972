import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `The router` {
    private func match(_ method: HTTPMethod, _ path: String) -> Router.Match {
        RouteTable.router.match(method, Array(path.utf8)[...])
    }

    private func pattern(_ method: HTTPMethod, _ path: String) -> String? {
        if case .route(let route, _) = match(method, path) { return route.pattern.text }
        return nil
    }

    @Test(arguments: [
        ("GET", "/v1/jobs", "/v1/jobs"), ("POST", "/v1/jobs", "/v1/jobs"),
        ("GET", "/v1/jobs/job_1", "/v1/jobs/{id}"),
        ("DELETE", "/v1/jobs/job_1", "/v1/jobs/{id}"),
        ("GET", "/v1/jobs/job_1/result", "/v1/jobs/{id}/result"),
        ("POST", "/v1/jobs/job_1:cancel", "/v1/jobs/{id}:cancel"),
        ("GET", "/v1/jobs/job_1/operations/a%2Fresult", "/v1/jobs/{id}/operations/{path}"),
        ("GET", "/v1/jobs/job_1/operations/a/2", "/v1/jobs/{id}/operations/{path}"),
        ("GET", "/v1/jobs/job_1/operations/a/2/result", "/v1/jobs/{id}/operations/{path}/result"),
        ("GET", "/v1/origins/a.example", "/v1/origins/{origin}"),
        ("GET", "/v1/origins/http%3A%2F%2Fa.example:8443", "/v1/origins/{origin}"),
        ("GET", "/v1/origins/http://%5B::1%5D:80", "/v1/origins/{origin}"),
        ("POST", "/v1/origins/https://a.example:reset", "/v1/origins/{origin}:reset"),
        ("POST", "/v1/origins/a.example:8443:reset", "/v1/origins/{origin}:reset"),
        ("GET", "/v1/hosts/%5B::1%5D:80/limits", "/v1/hosts/{host}/limits"), ("GET", "/v1", "/v1"),
        ("GET", "/v1/problems/route.not_found", "/v1/problems/{code}"), ("GET", "/healthz", "/healthz"),
    ])
    func `finds a route by method and path`(method: String, path: String, expected: String) throws {
        #expect(pattern(try #require(HTTPMethod(method)), path) == expected)
    }

    @Test(arguments: [
        ("POST", "/v1/jobs/job_1/cancel", "/v1/jobs/{id}:cancel"),
        ("POST", "/v1/jobs/batch", "/v1/jobs:batch"),
        ("GET", "/v1/jobs/job_1/", "/v1/jobs/{id}"), ("GET", "/v1/jobs/", "/v1/jobs"),
        ("GET", "/v1/jobs/job_1/nothing", nil), ("GET", "/", nil), ("GET", "/v2", nil),
    ])
    func `suggests the intended path`(method: String, path: String, expected: String?) throws {
        #expect(
            RouteTable.router.meant(by: try #require(HTTPMethod(method)), Array(path.utf8)[...]) == expected)
    }

    @Test func `takes the id out of the path`() throws {
        guard case .route(_, let parameter) = match(.post, "/v1/jobs/job_1:retry") else {
            Issue.record("no route")
            return
        }
        #expect(String(decoding: parameter, as: UTF8.self) == "job_1")
    }

    @Test func `answers HEAD where GET is answered`() {
        #expect(pattern(.head, "/v1/jobs/job_1") == "/v1/jobs/{id}")
        #expect(pattern(.head, "/v1/jobs/job_1:cancel") == nil)
    }

    @Test(arguments: [
        "", "/v1/", "/v2", "/v1/jobs/", "/v1/jobs//result", "/v1/jobs/a/b", "/v1/jobs/a:stop",
        "/v1/jobs/:cancel",
        "/V1/jobs", "/v1/jobs/a/result/", "/healthz/", "*",
    ])
    func `knows nothing at other paths`(path: String) {
        guard case .none = match(.get, path) else {
            Issue.record("\(path) has a route")
            return
        }
    }

    @Test func `lists the methods that a path has`() {
        guard case .otherMethods(let methods) = match(.patch, "/v1/jobs/job_1") else {
            Issue.record("PATCH has a route")
            return
        }
        #expect(methods == ["GET", "HEAD", "DELETE"])
    }

    @Test func `says of each POST how to send it once`() {
        for route in RouteTable.routes where route.method == .post {
            guard case .acts(let once) = route.repetition, case .acts(let unknown) = Repetition.unknown
            else { continue }
            #expect(once != unknown, "\(route.pattern.text)")
        }
        for route in RouteTable.routes where route.method != .post {
            guard case .isHarmless = route.repetition else {
                Issue.record("\(route.method) \(route.pattern.text)")
                continue
            }
        }
    }

    @Test func `refuses keys of a POST that says nothing about its repetition`() {
        let route = Route(.post, "/v1/new", scope: .write) { _ in }
        guard case .acts = route.repetition else {
            Issue.record("The keys would be ignored.")
            return
        }
    }

    @Test func `refuses conditions of a change that does not evaluate them`() {
        let fields: [HTTPFields] = [
            ["If-Match": "\"1\""], ["If-None-Match": "*"],
            ["If-Unmodified-Since": "Sat, 28 Nov 2026 10:00:00 GMT"],
        ]
        let new = Route(.patch, "/v1/new", scope: .write) { _ in }
        for route in RouteTable.routes + [new] where route.method != .get {
            if case .ofVersion = route.preconditions { continue }
            for fields in fields {
                let problem = #expect(throws: Problem.self) {
                    try route.preconditions.check(head(route.method, fields), of: route)
                }
                #expect(problem?.detail.contains("is not evaluated here") == true, "\(route.pattern.text)")
                #expect(problem?.kind == .invalidHeader)
            }
        }
    }

    private func head(_ method: HTTPMethod, _ fields: HTTPFields) throws -> HTTPRequestHead {
        HTTPRequestHead(method: method, target: try #require(RequestTarget("/")), fields: fields)
    }

    @Test func `has each method and path once`() {
        let names = RouteTable.routes.map { "\($0.method) \($0.pattern.text)" }
        #expect(Set(names).count == names.count)
    }

    @Test func `requires no token only where nothing confidential is served`() {
        let open = RouteTable.routes.filter { $0.scope == nil }.map(\.pattern.text)
        let callbacks = "/callbacks/{token}"
        let doors =
            ["/hooks/{name}", "/hooks/{tenant}/{name}"] + [String](repeating: callbacks, count: 3)
            + ["heartbeat", "progress", "fail"].map { "\(callbacks)/\($0)" }
        let ofProblems = ["/v1/problems", "/v1/problems/{code}"]
        #expect(
            open == doors + ["/v1"] + ofProblems + ["/openapi.yaml", "/openapi.json", "/healthz", "/readyz"])
    }
}
