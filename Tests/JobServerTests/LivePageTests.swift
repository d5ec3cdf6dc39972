import Foundation
import StrictJSON
import Testing

/// The page as a browser gets it, and what it may do.
@Suite struct `The page of the server` {
    private let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8"
    private let samePage = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"]
    private let spec = #"{"type":"delay","for":"1h"}"#

    @Test func `is served to browsers, and JSON to programs`() throws {
        let server = try LiveServer()
        let led = try server.get("/", headers: [browser])
        #expect(led.status == 303 && led.field("location") == "page/")
        let start = try server.get("/")
        #expect(start.status == 200 && start.at("/api") == "/v1" && start.at("/page") == "/page/")
        #expect(try server.get("/v1").at("/jobs") == "/v1/jobs")

        let page = try server.get("/page/")
        #expect(page.status == 200 && page.field("content-type") == "text/html; charset=utf-8")
        let policy = page.field("content-security-policy") ?? ""
        for rule in [
            "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
            "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] { #expect(policy.contains(rule)) }
        #expect(!policy.contains("unsafe"))
        #expect(page.field("x-frame-options") == "DENY" && page.field("x-content-type-options") == "nosniff")

        let script = try server.get("/page/main.js")
        #expect(script.field("content-type") == "text/javascript; charset=utf-8")
        let tag = try #require(script.field("etag"))
        #expect(try server.get("/page/main.js", headers: ["If-None-Match: \(tag)"]).status == 304)
        let packed = try server.send(
            "GET", "/page/main.css", headers: ["Accept-Encoding: gzip"], curl: ["--compressed"])
        #expect(packed.field("content-encoding") == "gzip" && packed.field("etag") != tag)
        for path in [
            "/page/Shell/shell.js", "/page/main.map", "/page/..%2fopenapi.yaml", "/page/package.json",
        ] {
            #expect(try server.get(path).status == 404, "\(path)")
        }
    }

    @Test func `is read from a folder during development`() throws {
        let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = top.deletingLastPathComponent().appending(path: "Sources/Page")
        let server = try LiveServer(["--page-dir", folder.path])
        #expect(try server.get("/page/Shell/shell.js").status == 200)
        #expect(try server.get("/page/main.js").body.starts(with: Data("// The page.".utf8)))
        #expect(try server.get("/page/../../Package.swift").status == 404)
        #expect(try server.get("/page/Shell/.hidden.js").status == 404)
    }

    @Test func `is absent when it is off`() throws {
        let server = try LiveServer(["--page", "off"])
        #expect(try server.get("/page/").status == 404)
        let start = try server.get("/", headers: [browser])
        #expect(start.status == 200 && start.at("/page") == nil)
        #expect(try server.get("/session").at("/page") == "off")
    }

    @Test func `changes nothing in read mode`() throws {
        let server = try LiveServer(["--page", "read"])
        let refused = try server.post("/v1/jobs", spec, headers: samePage)
        #expect(refused.status == 403 && refused.at("/code") == "page.read_only")
        let older = try server.post("/v1/jobs", spec, headers: ["Origin: \(server.url)"])
        #expect(older.status == 403 && older.at("/code") == "page.read_only")
        #expect(try server.get("/v1/jobs", headers: samePage).status == 200)
        #expect(try server.post("/v1/jobs", spec).status == 202)
        #expect(try server.get("/session").at("/page") == "read")
    }

    @Test func `signs in with a token, and gets an HttpOnly cookie`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String, _ scope: [String]) throws -> String {
            try LiveServer.command(["token", "create", "--token-file", file, "--name", name] + scope).output
                .trimmingCharacters(in: .newlines)
        }
        let ada = try token("ada", [])
        let eye = try token("eye", ["--scope", "read"])
        let server = try LiveProgram(["--token-file", file, "--access-log"], directory: home)
        #expect(try server.get("/page/").status == 200)
        #expect(try server.get("/session").at("/asks_for_token") == true)
        #expect(try server.post("/session", #"{"token":"js_nonsense"}"#, headers: samePage).status == 400)

        func signIn(_ token: String, _ more: [String] = []) throws -> String {
            let body = "{\"token\":\"\(token)\"}"
            let answer = try server.post("/session", body, headers: samePage + more)
            #expect(answer.status == 200)
            let set = try #require(answer.field("set-cookie"))
            #expect(set.contains("; HttpOnly; SameSite=Strict") && !set.contains("Path="))
            #expect(set.contains("; Secure") == more.contains("Origin: https://jobs.example"))
            return "Cookie: " + set.prefix { $0 != ";" }
        }
        let fixed = "Cookie: jobserver_session=chosen_by_a_stranger"
        let session = try signIn(ada, [fixed])
        #expect(session != fixed)
        #expect(try server.get("/v1/jobs", headers: [fixed]).status == 401)
        #expect(try server.get("/v1/jobs", headers: [session] + samePage).status == 200)
        #expect(try server.post("/v1/jobs", spec, headers: [session] + samePage).status == 202)
        // CSRF: what another site's page sends, and what does not say where it comes from.
        let other = ["Sec-Fetch-Site: cross-site", "Origin: https://evil.example"]
        #expect(try server.post("/v1/jobs", spec, headers: [session] + other).status == 403)
        #expect(try server.get("/v1/jobs", headers: [session] + other).status == 401)
        #expect(try server.post("/v1/jobs", spec, headers: [session]).status == 401)

        let looking = try signIn(eye)
        #expect(try server.post("/v1/jobs", spec, headers: [looking] + samePage).status == 403)
        #expect(try server.get("/session", headers: [looking]).at("/scopes/0") == "read")
        // Signing in again ends the session before.
        let second = try signIn(ada, [session])
        #expect(try server.get("/v1/jobs", headers: [session]).status == 401)
        #expect(try server.send("DELETE", "/session", headers: [second] + samePage).status == 204)
        #expect(try server.get("/v1/jobs", headers: [second]).status == 401)

        let last = try signIn(ada)
        _ = try LiveServer.command(["token", "revoke", "--token-file", file, "--name", "ada"])
        kill(server.pid, SIGHUP)
        var status = 200
        for _ in 0..<100 where status != 401 { status = try server.get("/v1/jobs", headers: [last]).status }
        #expect(status == 401)
        #expect(!server.log.contains(ada) && !server.log.contains(last.dropFirst(26)))
    }
}
