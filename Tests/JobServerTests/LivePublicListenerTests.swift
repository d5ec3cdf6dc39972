import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `The public listener` {
    /// A server with a public listener, and the URL of that.
    private func start(_ flags: [String] = []) throws -> (server: LiveServer, open: String) {
        let server = try LiveServer(["--public-listen", "127.0.0.1:0", "--http-loops", "2"] + flags)
        return (server, try #require(server.publicURL))
    }

    private func status(_ method: String, _ url: String, headers: [String] = []) throws -> Int {
        try #require(PlainRequest(method, url, headers: headers, body: nil)).send().status
    }

    @Test func `has none of the paths that need a token, whatever the method`() throws {
        let (server, open) = try start()
        let closed = RouteTable.routes.filter { !PublicPaths.contain($0.pattern) } + PageRoutes.routes
        #expect(closed.count > 80)
        for route in closed {
            let path = route.pattern.text.replacing("{", with: "").replacing("}", with: "")
            for method in ["GET", "\(route.method)"] {
                #expect(try status(method, open + path) == 404, "\(method) \(path)")
            }
        }
        #expect(try status("GET", open + "/healthz") == 200)
        #expect(try server.get("/v1/jobs").status == 200)
    }

    @Test func `has hooks, callback URLs and the health of the server`() throws {
        let open = RouteTable.routes.map(\.pattern).filter(PublicPaths.contain)
        #expect(
            Set(open.map(\.text)) == [
                "/hooks/{name}", "/hooks/{tenant}/{name}", "/callbacks/{token}",
                "/callbacks/{token}/heartbeat", "/callbacks/{token}/progress", "/callbacks/{token}/fail",
                "/healthz",
            ])
    }

    @Test func `answers for every host name`() throws {
        let (server, open) = try start()
        let headers = ["Host: hooks.example.com"]
        #expect(try status("GET", open + "/healthz", headers: headers) == 200)
        #expect(try server.get("/healthz", headers: headers).status == 421)
    }

    @Test(arguments: ["8443", "example.com:", "a:70000", ":80", "[::1]"])
    func `has an address and a port`(_ text: String) throws {
        let ended = try LiveServer.command(["serve", "--public-listen", text])
        #expect(ended.code == 2)
        #expect(ended.errors.contains("expected an address and a port"))
    }
}
