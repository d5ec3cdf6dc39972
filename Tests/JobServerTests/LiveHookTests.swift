import Foundation
import JobKit
import OpenSSLCrypto
import ScratchPostgres
import StrictJSON
import Testing

@testable import JobServer

extension LiveServer {
    /// Stores a hook that GitHub's scheme verifies.
    @discardableResult
    func hook(_ name: String, _ members: String, key: String = "k1") throws -> Answer {
        _ = try send("PUT", "/v1/secrets/hook-key", body: #"{"text": "\#(key)"}"#)
        return try send(
            "PUT", "/v1/hooks/\(name)",
            body: #"{"verify": {"scheme": "github", "key": {"$secret": "hook-key"}}, \#(members)}"#)
    }

    /// Sends a signed request as a repository does.
    func deliver(
        _ path: String, _ body: String, id: String? = nil, key: String = "k1", fields: [String] = [],
        curl: [String] = []
    ) throws -> Answer {
        let digest = HexText.encode(HMACSHA256.digest(of: Array(body.utf8), key: Array(key.utf8)))
        let headers =
            ["X-Hub-Signature-256: sha256=\(digest)"] + (id.map { ["X-GitHub-Delivery: \($0)"] } ?? [])
        return try send("POST", path, headers: headers + fields, body: body, curl: curl)
    }

    /// The outcomes of the deliveries to a hook, the newest first.
    func outcomes(_ hook: String) throws -> [String] {
        (try get("/v1/hooks/\(hook)/deliveries").at("/items")?.array ?? []).compactMap {
            $0.object?["outcome"]?.string
        }
    }
}

@Suite struct `A hook` {
    private static let job = #""job": {"type": "value", "value": {"ref": {"$hook": "", "at": "/body/ref"}}}"#

    @Test func `makes a job of a signed request, once however often it comes`() throws {
        let server = try LiveServer()
        #expect(try server.hook("push", Self.job).status == 201)
        let first = try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: "a")
        #expect(first.status == 202, "\(first.json)")
        #expect(first.at("/outcome") == "started")
        #expect(first.field("referrer-policy") == "no-referrer")
        let job = try #require(first.at("/job_id")?.string)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/result/inline") == ["ref": "main"], "\(ended.json)")
        #expect(ended.at("/labels/hook") == "push")
        // By its id, and by its body: the id is not signed.
        for id in ["a", "b"] {
            let again = try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: id)
            #expect(again.status == 202)
            #expect(again.at("/job_id")?.string == job)
            #expect(again.field("duplicate") == "true")
        }
        let other = try server.deliver("/hooks/push", #"{"ref": "next"}"#, id: "c")
        #expect(other.at("/job_id")?.string != job)
        #expect(
            try server.outcomes("push").sorted() == ["duplicate", "duplicate", "started", "started"])
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 2)
        // Another hook knows nothing of these.
        try server.hook("pull", Self.job)
        let elsewhere = try server.deliver("/hooks/pull", #"{"ref": "main"}"#, id: "a")
        #expect(elsewhere.field("duplicate") == nil)
        #expect(elsewhere.at("/job_id")?.string != job)
    }

    @Test func `knows a copy again whose query is not signed`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job)
        let first = try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: "a")
        let copy = try server.deliver("/hooks/push?x=1", #"{"ref": "main"}"#, id: "b")
        #expect(copy.field("duplicate") == "true")
        #expect(copy.at("/job_id") == first.at("/job_id"))
        _ = try server.send(
            "PUT", "/v1/hooks/open", body: #"{"verify": {"scheme": "none"}, \#(Self.job)}"#)
        for query in ["x=1", "x=2"] {
            let other = try server.post("/hooks/open?\(query)", #"{"ref": "main"}"#)
            #expect(other.field("duplicate") == nil, "\(other.json)")
        }
    }

    @Test func `refuses what is not its sender's, with a reason that is kept`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job)
        let forged = try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: "a", key: "k2")
        #expect(forged.status == 401)
        #expect(forged.at("/code") == "hook.refused")
        #expect(forged.field("www-authenticate") != nil)
        #expect(try server.post("/hooks/push", "{}").status == 401)
        #expect(soon { (try? server.outcomes("push").count) == 2 })
        let list = try server.get("/v1/hooks/push/deliveries?outcome=refused")
        #expect(list.at("/items/0/reason") == "signature_missing")
        #expect(list.at("/items/1/reason") == "signature_wrong")
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 0)
        let id = list.at("/items/1/id")?.string ?? ""
        let whole = try server.get("/v1/hooks/push/deliveries/\(id)")
        #expect(whole.at("/body") == #"{"ref": "main"}"#)
        #expect(whole.at("/request/headers/x-hub-signature-256") == nil)
        #expect(try server.post("/v1/hooks/push/deliveries/\(id):replay", "{}").status == 401)
        let replayed = try server.post("/v1/hooks/push/deliveries/\(id):replay", #"{"refused": true}"#)
        #expect(replayed.status == 202, "\(replayed.json)")
        #expect(replayed.at("/repeats")?.string == id)
        #expect(try server.get("/hooks/push").status == 405)
        #expect(try server.post("/hooks/other", "{}").status == 404)
    }

    @Test func `writes down few of many forged requests`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job)
        for _ in 0..<200 { #expect(try server.deliver("/hooks/push", "{}", key: "no").status == 401) }
        #expect(soon { (try? server.outcomes("push").count) == RefusalBook.burst })
        #expect(server.log.split(separator: "\n").count { $0.contains("hook_refused") } <= RefusalBook.burst)
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        #expect(metrics.contains("jobserver_hook_deliveries_total{outcome=\"refused\"} 200\n"))
    }

    @Test func `takes values and never what they might mean in a spec`() throws {
        let server = try LiveServer()
        _ = try server.send("PUT", "/v1/secrets/hidden", body: #"{"text": "very confidential"}"#)
        try server.hook("echo", #""job": {"type": "value", "value": {"$hook": "", "at": "/body"}}"#)
        let body = #"{"a": {"$secret": "hidden"}, "b": {"$job": "id"}, "c": {"$text": "{x}", "vars": {}}}"#
        let answer = try server.deliver("/hooks/echo", body, id: "a")
        let job = answer.at("/job_id")?.string ?? ""
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/result/inline") == (try JSONParser.parse(Array(body.utf8))), "\(ended.json)")
        for (url, vars) in [
            ("https://{h}/x", #"{"h": {"$hook": "", "at": "/body/h"}}"#),
            ("{s}://a.example/", #"{"s": {"$hook": "", "at": "/body/s"}}"#),
            (
                "https://a.example:{p}/",
                #"{"p": {"$text": "{x}", "vars": {"x": {"$hook": "", "at": "/body/p"}}}}"#
            ),
        ] {
            let refused = try server.hook(
                "call", #""job": {"type": "network", "request": {"url": "\#(url)", "vars": \#(vars)}}"#)
            #expect(refused.status == 422, "\(url)")
        }
        let name = try server.hook(
            "call",
            #"""
            "job": {"type": "network", "request": {"url": "https://a.example/",
              "auth": {"type": "bearer", "token": {"$secret": {"$hook": ""}}}}}
            """#
        )
        #expect(name.status == 422)
        let fine = try server.hook(
            "call",
            #""job": {"type": "network", "request": {"url": "https://a.example/{x}", "vars": {"x": {"$hook": "", "at": "/body/x"}}}}"#
        )
        #expect(fine.status == 201, "\(fine.json)")
        let stray = try server.post("/v1/jobs", #"{"type": "value", "value": {"$hook": "", "at": "/body"}}"#)
        #expect(stray.status == 422)
        #expect(stray.at("/errors/0/code") == "spec.not_available")
    }

    @Test func `is read as it is stored again`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job)
        let read = try server.get("/v1/hooks/push")
        #expect(read.at("/address") == "/hooks/push")
        let text = String(decoding: read.body, as: UTF8.self)
        #expect(try server.send("PUT", "/v1/hooks/push", body: text).at("/version")?.number?.int == 1)
        let tag = read.field("etag") ?? ""
        #expect(
            try server.hook("push", Self.job + #", "when": {"at": "/body/ref", "equals": "x"}"#).status == 200
        )
        let stale = try server.send("PUT", "/v1/hooks/push", headers: ["If-Match: \(tag)"], body: text)
        #expect(stale.status == 412)
        let check = try server.send(
            "PUT", "/v1/hooks/new?validate_only=true",
            body: #"{"verify": {"scheme": "none"}, "dedupe": {"body": false}, \#(Self.job)}"#)
        #expect(check.at("/warnings/0/code") == "warning.hook_without_id", "\(check.json)")
        #expect(try server.get("/v1/hooks/new").status == 404)
        #expect(try server.get("/v1/hooks").at("/items/0/name") == "push")
        #expect(try server.send("DELETE", "/v1/hooks/push").status == 204)
        #expect(try server.deliver("/hooks/push", "{}").status == 404)
    }

    @Test func `ignores what does not satisfy its predicate, and answers handshakes`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job + #", "when": {"at": "/body/ref", "equals": "main"}"#)
        let other = try server.deliver("/hooks/push", #"{"ref": "next"}"#, id: "a")
        #expect(other.status == 202)
        #expect(other.at("/outcome") == "ignored")
        let ping = try server.deliver(
            "/hooks/push", #"{"zen": "x"}"#, id: "b", fields: ["X-GitHub-Event: ping"])
        #expect(ping.status == 200)
        #expect(ping.at("/ok") == true)
        let forged = try server.deliver(
            "/hooks/push", "{}", id: "c", key: "no", fields: ["X-GitHub-Event: ping"])
        #expect(forged.status == 401)
        #expect(try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: "d").at("/outcome") == "started")
        // Those of one millisecond are in no order.
        #expect(
            soon { (try? server.outcomes("push"))?.sorted() == ["ignored", "ignored", "refused", "started"] })
    }

    @Test func `sends a signal to the job that it names`() throws {
        let server = try LiveServer()
        let signal =
            #""signal": {"name": "paid", "job": {"label": {"order": {"$hook": "", "at": "/body/order"}}}}"#
        #expect(try server.hook("paid", signal).status == 201)
        let early = try server.deliver("/hooks/paid", #"{"order": "7"}"#, id: "a")
        #expect(early.status == 409)
        #expect(early.at("/code") == "hook.no_job", "\(early.json)")
        #expect(early.at("/detail") == "No unfinished job has the label order with the value 7.")
        let job = try server.submit(#"{"type": "await", "signal": "paid", "labels": {"order": "7"}}"#)
        let taken = try server.deliver("/hooks/paid", #"{"order": "7"}"#, id: "a")
        #expect(taken.at("/outcome") == "signalled", "\(taken.json)")
        #expect(taken.at("/job_id")?.string == job)
        let ended = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
        #expect(ended.at("/result/inline/order") == "7", "\(ended.json)")
        let key = #""signal": {"name": "paid", "job": {"unique_key": {"$hook": "", "at": "/body/order"}}}"#
        #expect(try server.hook("held", key).status == 201)
        let held = try server.submit(#"{"type": "await", "signal": "paid", "unique": {"key": "8"}}"#)
        let found = try server.deliver("/hooks/held", #"{"order": 8}"#, id: "b")
        #expect(found.at("/job_id")?.string == held, "\(found.json)")
        #expect(try server.deliver("/hooks/held", #"{"order": 9}"#, id: "c").status == 409)
    }

    @Test func `may answer with the result of its job`() throws {
        let server = try LiveServer()
        try server.hook("ask", Self.job + #", "respond": {"wait": "10s"}"#)
        for _ in 1...2 {
            let answer = try server.deliver("/hooks/ask", #"{"ref": "main"}"#, id: "a")
            #expect(answer.status == 200)
            #expect(answer.json == ["ref": "main"], "\(answer.json)")
        }
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 1)
    }

    @Test func `acts again for a person, one by one or for many`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job + #", "when": {"at": "/body/ref", "equals": "main"}"#)
        for ref in ["x", "y"] { _ = try server.deliver("/hooks/push", #"{"ref": "\#(ref)"}"#, id: ref) }
        #expect(try server.outcomes("push") == ["ignored", "ignored"])
        try server.hook("push", Self.job)
        let items = try server.get("/v1/hooks/push/deliveries").at("/items")?.array ?? []
        let ids = items.compactMap { $0.object?["id"]?.string }
        let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
        let many = try server.post("/v1/hooks/push/deliveries:replay", #"{"ids": [\#(list)]}"#)
        #expect(many.status == 200, "\(many.json)")
        #expect(many.at("/items/1/delivery/outcome") == "started")
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 2)
    }

    @Test func `tells of each delivery whether it acted again, also when the store refuses one`() throws {
        let server = try LiveServer()
        let signal =
            #""signal": {"name": "paid", "job": {"label": {"order": {"$hook": "", "at": "/body/order"}}}}"#
        try server.hook("paid", signal)
        var ids: [String] = []
        for order in ["7", "8"] {
            let wait = #"{"type": "await", "signal": "paid", "labels": {"order": "\#(order)"}}"#
            let job = try server.submit(wait)
            let taken = try server.deliver("/hooks/paid", #"{"order": "\#(order)"}"#, id: order)
            ids.append("\"\(try #require(taken.at("/id")?.string))\"")
            _ = try server.get("/v1/jobs/\(job)", headers: ["Prefer: wait=20"])
            if order == "7" { _ = try server.submit(wait) }
        }
        let many = try server.post(
            "/v1/hooks/paid/deliveries:replay", #"{"ids": [\#(ids.joined(separator: ","))]}"#)
        #expect(many.status == 200, "\(many.json)")
        #expect(many.at("/items/0/delivery/outcome") == "signalled")
        #expect(many.at("/items/1/error/code") == "hook.no_job")
    }

    @Test func `takes a body in pieces, and none that ends early`() throws {
        let server = try LiveServer()
        try server.hook("push", Self.job + #", "max_bytes": 100"#)
        let pieces = try server.deliver(
            "/hooks/push", #"{"ref": "main"}"#, id: "a", fields: ["Transfer-Encoding: chunked"], curl: ["-N"])
        #expect(pieces.at("/outcome") == "started", "\(pieces.json)")
        let large = #"{"ref": "\#(String(repeating: "x", count: 100))"}"#
        #expect(try server.deliver("/hooks/push", large, id: "b").status == 413)
        let packed = try server.deliver("/hooks/push", "{}", id: "c", fields: ["Content-Encoding: gzip"])
        #expect(packed.status == 415)
    }

    @Test func `takes the old key and the new one at once`() throws {
        let server = try LiveServer()
        for name in ["old", "new"] {
            _ = try server.send("PUT", "/v1/secrets/\(name)", body: #"{"text": "\#(name)"}"#)
        }
        let stored = try server.send(
            "PUT", "/v1/hooks/push",
            body:
                #"{"verify": {"scheme": "github", "key": [{"$secret": "new"}, {"$secret": "old"}]}, \#(Self.job)}"#
        )
        #expect(stored.status == 201)
        for key in ["old", "new"] {
            #expect(
                try server.deliver("/hooks/push", #"{"ref": "\#(key)"}"#, id: key, key: key).status == 202)
        }
        #expect(try server.deliver("/hooks/push", "{}", id: "x", key: "other").status == 401)
    }

    @Test func `has made its job when the program dies after the answer`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        var job: String?
        for _ in 1...3 {
            let server = try LiveProgram(directory: home)
            if job == nil { try server.hook("push", Self.job) }
            let answer = try server.deliver("/hooks/push", #"{"ref": "main"}"#, id: "a")
            #expect(answer.status == 202)
            job = job ?? answer.at("/job_id")?.string
            #expect(answer.at("/job_id")?.string == job)
            #expect(server.stop(SIGKILL) != 0)
        }
        let server = try LiveProgram(directory: home)
        #expect(try server.get("/v1/jobs:count").at("/count")?.number?.int == 1)
    }

    @Test func `is reached at the public listener`() throws {
        let server = try LiveServer(["--public-listen", "127.0.0.1:0"])
        try server.hook("push", Self.job)
        let open = try #require(server.publicURL)
        let digest = HexText.encode(HMACSHA256.digest(of: Array("{}".utf8), key: Array("k1".utf8)))
        let headers = [
            "Host: hooks.example.com", "Content-Type: application/json",
            "X-Hub-Signature-256: sha256=\(digest)",
        ]
        let request = try #require(PlainRequest("POST", open + "/hooks/push", headers: headers, body: "{}"))
        #expect(request.send().status == 202)
    }

    @Test func `belongs to the tenant of who stored it`() throws {
        let teams = try TenantServer([])
        let body = #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}}"#
        #expect(try teams.acme.send("PUT", "/v1/hooks/push", body).status == 201)
        #expect(try teams.acme.get("/v1/hooks/push").at("/address") == "/hooks/acme/push")
        #expect(try teams.beta.get("/v1/hooks/push").status == 404)
        let answer = try teams.server.post("/hooks/acme/push", "{}")
        #expect(answer.status == 202, "\(answer.json)")
        let job = answer.at("/job_id")?.string ?? ""
        #expect(try teams.acme.get("/v1/jobs/\(job)").status == 200)
        #expect(try teams.beta.get("/v1/jobs/\(job)").status == 404)
        #expect(try teams.acme.get("/v1/hooks/push/deliveries").at("/items/0/job_id")?.string == job)
        #expect(try teams.server.post("/hooks/push", "{}").status == 404)
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A hook of servers on one PostgreSQL` {
    private let shared = SharedPlace()

    @Test func `makes one job of a request that reaches two of them`() throws {
        let flags = try shared.flags() + shared.keyFlags()
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        try servers[0].hook("push", #""job": {"type": "value", "value": {"$hook": "", "at": "/body"}}"#)
        #expect(soon { (try? servers[1].get("/v1/hooks/push").status) == 200 })
        var jobs: Set<String> = []
        for turn in 0..<6 {
            let answer = try servers[turn % 2].deliver("/hooks/push", "7", id: "a")
            #expect(answer.status == 202, "\(answer.json)")
            jobs.insert(answer.at("/job_id")?.string ?? "")
        }
        #expect(jobs.count == 1)
        #expect(try servers[1].get("/v1/jobs:count?label.hook=push").at("/count")?.number?.int == 1)
        #expect(try servers[0].outcomes("push").count { $0 == "duplicate" } == 5)
    }
}
