import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Searches the server's files, logs and answers for the secrets that it used.
@Suite struct `A secret that was sent` {
    /// Recognisable values, with characters that are written differently in URLs, forms, JSON and markup.
    private static let secrets: [String: String] = [
        "bearer": "bearer-Tr0ub4dor-1", "password": "pass & w\"rd-Tr0ub4dor/2?=", "header": "hdr+Tr0ub4dor-3",
        "client": "client secret/Tr0ub4dor-4", "awskey": "aws/Tr0ub4dor+5/KEY",
        "session": "sess//Tr0ub4dor==6",
        "hook": "whsec_VHIwdWI0ZG9yLTctVHIwdWI0ZG9y", "path": "ü Tr0ub4dor/8", "body": "<b>'Tr0ub4dor\\9\n\t",
        "pem": "-----BEGIN CERTIFICATE-----\nTr0ub4dor10+Tr0ub4dor10\n-----END CERTIFICATE-----\n",
    ]
    private static let token = "minted-Tr0ub4dor-token-11"

    /// Echoes the request in fields and content; `/token` issues a token.
    private static func recorder() -> FaultServer {
        FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let target = request.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
                let lines = request.components(separatedBy: "\r\n").dropFirst().prefix { !$0.isEmpty }
                let echo = lines.enumerated().map { "X-Echo-\($0.offset): \($0.element)\r\n" }.joined()
                if target.hasPrefix("/token") {
                    connection.answer(
                        #"{"access_token": "\#(token)", "expires_in": 3600}"#, fields: "X-Was: \(token)\r\n")
                } else if target.hasPrefix("/fails") {
                    connection.answer(request, status: "500 No", fields: echo)
                } else if target.hasPrefix("/moved") {
                    connection.answer(
                        "", status: "302 Found", fields: "Location: /landed?from=\(target.dropFirst(7))\r\n")
                } else if target.hasPrefix("/large") {
                    let filler = String(repeating: "0123456789abcde\n", count: 20_000)
                    connection.answer(filler + request + filler, fields: echo)
                } else {
                    connection.answer(request, fields: echo)
                }
            }
        }
    }

    private static func operations(_ url: String) -> String {
        func call(_ name: String, _ more: String, url: String = url, path: String? = nil) -> String {
            #"""
            {"type": "network", "name": "\#(name)", "retry": {"max_attempts": 1},
             "request": {"url": "\#(url)\#(path ?? "/" + name)", \#(more)}}
            """#
        }
        func secret(_ name: String) -> String { #"{"$secret": "\#(name)"}"# }
        let client =
            #""type": "oauth2_client_credentials", "token_url": "\#(url)/token", "client_id": "me", "client_secret": \#(secret("client"))"#
        let body = #""json": {"a": \#(secret("body")), "b": \#(secret("path"))}"#
        return [
            call("bearer", #""auth": {"type": "bearer", "token": \#(secret("bearer"))}"#),
            call(
                "basic", #""auth": {"type": "basic", "username": "ada", "password": \#(secret("password"))}"#),
            call("header", #""auth": {"type": "header", "name": "X-Key", "value": \#(secret("header"))}"#),
            call("oauth", #""auth": {\#(client)}"#),
            call("oauth_post", #""auth": {\#(client), "client_auth": "client_secret_post", "scope": "x"}"#),
            call(
                "aws",
                #"""
                "auth": {"type": "aws_sigv4", "access_key": "AKID", "secret_key": \#(secret("awskey")),
                         "session_token": \#(secret("session")), "region": "eu", "service": "s3"}
                """#
            ),
            call(
                "hook",
                #""method": "PUT", \#(body), "auth": {"type": "hmac", "scheme": "standard_webhooks", "key": \#(secret("hook"))}"#
            ),
            call(
                "path", #""vars": {"p": \#(secret("path"))}, "query": {"q": \#(secret("body"))}"#,
                path: "/path/{p}"),
            call("form", #""method": "PUT", "form": {"a": \#(secret("password")), "b": \#(secret("body"))}"#),
            call("text", #""method": "PUT", "text": {"$text": "<{a}>", "vars": {"a": \#(secret("body"))}}"#),
            call("fails", #""method": "PUT", \#(body), "headers": {"X-A": \#(secret("header"))}"#),
            call("moved", #""query": {"q": \#(secret("path"))}, "redirects": 3"#),
            call("large", #""method": "PUT", \#(body), "headers": {"X-A": \#(secret("header"))}"#),
            call("refused", #""vars": {"p": \#(secret("path"))}"#, url: "http://127.0.0.1:1", path: "/{p}"),
            call(
                "tls", #""tls": {"client_cert": \#(secret("pem"))}, "headers": {"X-A": \#(secret("header"))}"#
            ),
            #"{"type": "network", "name": "by_connection", "connection": "place", "request": "/by?x=1"}"#,
            #"""
            {"type": "poll", "name": "polled", "until": {"at": "/status", "equals": 200},
             "request": {"url": "\#(url)/polled", "headers": {"X-A": \#(secret("header"))}}}
            """#,
            #"""
            {"type": "notify", "name": "told", "message": "done",
             "request": {"url": "\#(url)/told", "headers": {"X-A": \#(secret("header"))}}}
            """#,
            #"""
            {"type": "network", "name": "asked", "conditions": [{"type": "approval", "prompt": "Go?"}],
             "request": {"url": "\#(url)/asked", "method": "PUT", \#(body),
                         "headers": {"X-Plain": \#(secret("header"))}}}
            """#,
        ].joined(separator: ",\n")
    }

    /// All encodings of the values.
    private static func needles() -> [(name: String, bytes: Data)] {
        var found: [(name: String, bytes: Data)] = []
        for (name, value) in secrets.merging(["token": token], uniquingKeysWith: { $1 }) {
            let bytes = Data(value.utf8)
            let unreserved = CharacterSet(
                charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
            let percent = value.addingPercentEncoding(withAllowedCharacters: unreserved) ?? value
            let json = JSONValue.string(value).encoded().dropFirst().dropLast()
            let forms: [Data] = [
                bytes, Data(bytes.base64EncodedString().prefix { $0 != "=" }.utf8),
                Data(percent.utf8), Data(percent.replacingOccurrences(of: "%20", with: "+").utf8), Data(json),
                Data(
                    bytes.base64EncodedString().replacingOccurrences(of: "+", with: "-")
                        .replacingOccurrences(of: "/", with: "_").prefix { $0 != "=" }.utf8),
            ]
            for form in Set(forms) { found.append((name, form)) }
        }
        let basic = Data("ada:\(secrets["password"] ?? "")".utf8).base64EncodedString()
        found.append(("basic", Data(basic.utf8)))
        return found
    }

    @Test func `leaks nowhere`() throws {
        let upstream = Self.recorder()
        defer { upstream.stop() }
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let server = try LiveProgram(["--log-level", "debug"], directory: home)
        for (name, value) in Self.secrets {
            let body = JSONValue.object(JSONObject([("text", .string(value))])).encoded()
            #expect(
                try server.send("PUT", "/v1/secrets/\(name)", body: String(decoding: body, as: UTF8.self))
                    .status == 201)
        }
        let connection = try server.send(
            "PUT", "/v1/connections/place",
            body:
                #"""
                {"base_url": "\#(upstream.url())", "auth": {"type": "bearer", "token": {"$secret": "bearer"}},
                 "headers": {"X-A": {"$secret": "header"}}}
                """#
        )
        #expect(connection.status == 201)
        let accepted = try server.post(
            "/v1/jobs",
            #"{"type": "group", "name": "all", "operations": [\#(Self.operations(String(upstream.url().dropLast())))]}"#
        )
        let job = try #require(accepted.at("/id")?.string, "\(accepted.json)")
        try server.rest(job)
        let approval = try #require(try server.get("/v1/approvals?state=open").at("/items/0/id")?.string)
        let asked = try server.get("/v1/approvals/\(approval)")
        #expect(try server.post("/v1/approvals/\(approval):approve", "{}").status == 200)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=30"])
        #expect(ended.at("/state") == "failed", "three of the calls cannot succeed")

        // It was sent, and answers came back with it.
        let sent = upstream.requests.joined(separator: "\n")
        for name in ["bearer", "header", "session"] {
            #expect(sent.contains(Self.secrets[name] ?? "-"), "\(name)")
        }
        #expect(sent.contains("Bearer \(Self.token)"))
        #expect(sent.contains("webhook-signature: v1,"))
        #expect(sent.contains("AWS4-HMAC-SHA256 Credential=AKID/"))

        let answers = try self.answers(server, job) + [asked.body]
        let shown = answers.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        #expect(shown.contains("***"))
        #expect(shown.contains("(secret header)") || shown.contains("(secret body)"))
        search(Data(answers.joined()), "an answer")
        try searchFiles(home)
        #expect(server.stop() == 0)
        try searchFiles(home)
        search(Data(server.log.utf8), "the log")
    }

    /// The answers of all paths about the job and its settings.
    private func answers(_ server: LiveServer, _ job: String) throws -> [Data] {
        let paths = [
            "/v1/jobs", "/v1/jobs/\(job)", "/v1/jobs/\(job)?view=full", "/v1/jobs/\(job)/result",
            "/v1/jobs/\(job)/spec", "/v1/jobs/\(job)/operations",
            "/v1/jobs/\(job)/explain", "/v1/jobs/\(job)/attempts", "/v1/jobs/\(job)/events?page_size=500",
            "/v1/approvals", "/v1/secrets", "/v1/connections", "/v1/connections/place", "/metrics",
            "/v1/origins?host=127.0.0.1", "/v1/hosts", "/v1/jobs/\(job)/artifacts",
        ]
        var found = try paths.map { try server.get($0).body }
        for (path, type) in [("attempts", "application/har+json"), ("spec", "text/x-shellscript")] {
            found.append(try server.get("/v1/jobs/\(job)/\(path)", headers: ["Accept: \(type)"]).body)
        }
        let listed = try server.get("/v1/jobs/\(job)/operations").at("/items")?.array ?? []
        #expect(listed.count > 15)
        for item in listed {
            guard let path = item.object?["operation"]?.string ?? item.object?["name"]?.string else {
                continue
            }
            found.append(try server.get("/v1/jobs/\(job)/attempts?operation=\(path)").body)
            let archive = try server.get(
                "/v1/jobs/\(job)/attempts?operation=\(path)", headers: ["Accept: application/har+json"])
            found.append(archive.body)
        }
        return found
    }

    private func searchFiles(_ home: URL) throws {
        let files = FileManager.default.enumerator(at: home, includingPropertiesForKeys: [.isRegularFileKey])
        var count = 0
        while let file = files?.nextObject() as? URL {
            let isFile = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
            guard isFile == true, file.lastPathComponent != "secret.key" else { continue }
            count += 1
            search(try Data(contentsOf: file), file.lastPathComponent)
        }
        #expect(count >= 2)
    }

    private func search(_ data: Data, _ place: String) {
        for needle in Self.needles() {
            guard let range = data.range(of: needle.bytes) else { continue }
            let start = max(data.startIndex, range.lowerBound - 120)
            let around = String(
                decoding: data[start..<min(data.endIndex, range.upperBound + 20)], as: UTF8.self)
            Issue.record("\(needle.name) stands in \(place): …\(around)")
        }
    }
}
