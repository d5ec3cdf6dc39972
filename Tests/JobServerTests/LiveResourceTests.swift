import Foundation
import HTTPMessage
import StrictJSON
import Testing

@testable import JobServer

/// The common behaviour of everything with a name.
@Suite(.serialized) struct `A live server and what has a name` {
    /// The path of a resource of each sort, a spec of it, and another one.
    private static let resources: [(path: String, spec: String, other: String)] = [
        ("/v1/queues/mail", #"{"concurrency": 2, "defaults": {"priority": 7}}"#, #"{"concurrency": 3}"#),
        (
            "/v1/schedules/nightly", #"{"cron": "0 3 * * *", "job": {"type": "value", "value": 1}}"#,
            #"{"cron": "0 4 * * *", "job": {"type": "value", "value": 1}}"#
        ),
        (
            "/v1/connections/crm", #"{"base_url": "https://a.example/"}"#,
            #"{"base_url": "https://b.example/"}"#
        ),
        (
            "/v1/templates/greet", #"{"operation": {"type": "value", "value": 1}}"#,
            #"{"operation": {"type": "value", "value": 2}}"#
        ),
        (
            "/v1/hooks/push", #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}}"#,
            #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 2}}"#
        ),
        ("/v1/secrets/key", #"{"text": "correct horse"}"#, #"{"text": "battery staple"}"#),
        ("/v1/hosts/api.example:8443/limits", #"{"concurrency": 2}"#, #"{"concurrency": 3}"#),
        ("/v1/grants/mail", #"{"state": "granted", "scopes": ["send"]}"#, #"{"state": "denied"}"#),
    ]

    private func text(_ answer: LiveServer.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test func `is everything that can be stored with PUT`() {
        for route in RouteTable.routes where route.method == .put && route.scope != nil {
            let isTried = Self.resources.contains { route.pattern.match(ArraySlice($0.path.utf8)) != nil }
            #expect(isTried, "\(route.pattern.text)")
        }
    }

    @Test func `takes what GET gave with PUT, and changes nothing`() throws {
        let server = try LiveServer()
        for (path, spec, _) in Self.resources {
            let made = try server.send("PUT", path, body: spec)
            #expect(made.status == 201, "\(path): \(made.json)")
            let before = try server.get(path)
            #expect(before.field("etag") == "\"1\"", "\(path)")
            let again = try server.send("PUT", path, body: text(before))
            #expect(again.status == 200, "\(path): \(again.json)")
            #expect(try server.get(path).json == before.json, "\(path)")
            #expect(again.field("etag") == "\"1\"", "\(path)")
            for member in ["name", "version", "spec", "created_at", "updated_at"] {
                #expect(before.at("/\(member)") != nil, "\(path): \(member)")
            }
        }
    }

    @Test func `is only checked with validate_only`() throws {
        let server = try LiveServer()
        for (path, spec, _) in Self.resources
        where ["queues", "connections", "hooks", "hosts"].contains(where: path.contains) {
            let checked = try server.send("PUT", path + "?validate_only=true", body: spec)
            #expect(checked.at("/valid") == true, "\(path): \(checked.json)")
            #expect(checked.at("/spec") != nil, "\(path)")
            #expect(try server.get(path).status == 404, "\(path)")
            let wrong = try server.send("PUT", path + "?validate_only=true", body: #"{"x": 1}"#)
            #expect(wrong.status == 422, "\(path): \(wrong.json)")
        }
    }

    @Test func `takes a change of one member of what GET gave, once`() throws {
        let server = try LiveServer()
        _ = try server.send("PUT", "/v1/queues/mail", body: Self.resources[0].spec)
        let given = text(try server.get("/v1/queues/mail"))
        let changed = given.replacing(#""concurrency":2"#, with: #""concurrency":9"#)
        let stored = try server.send("PUT", "/v1/queues/mail", body: changed)
        #expect(stored.status == 200)
        #expect(stored.at("/version") == 2)
        #expect(stored.at("/spec/concurrency") == 9)
        #expect(stored.at("/spec/defaults/priority") == 7)
        // The version in the body is no more the one that is stored.
        let late = try server.send("PUT", "/v1/queues/mail", body: changed)
        #expect(late.status == 412)
        #expect(late.at("/code") == "request.precondition")
        #expect(try server.get("/v1/queues/mail").at("/version") == 2)
    }

    @Test func `changes and removes only what If-Match names, and makes only what is not there`() throws {
        let server = try LiveServer()
        for (path, spec, other) in Self.resources {
            func put(_ header: String, _ body: String) throws -> LiveServer.Answer {
                try server.send("PUT", path, headers: [header], body: body)
            }
            #expect(try put("If-Match: \"1\"", spec).status == 412, "\(path)")
            // Tags alone name a version.
            let undated = try put("If-Unmodified-Since: Sat, 28 Nov 2026 10:00:00 GMT", spec)
            #expect(undated.status == 400, "\(path)")
            #expect(try server.get(path).status == 404, "\(path)")
            #expect(try put("If-None-Match: *", spec).status == 201, "\(path)")
            #expect(try put("If-None-Match: *", other).status == 412, "\(path)")
            #expect(try put("If-Match: \"7\"", other).status == 412, "\(path)")
            let changed = try put("If-Match: \"1\"", other)
            #expect([200, 201].contains(changed.status), "\(path)")
            #expect(changed.field("etag") == "\"2\"", "\(path)")
            #expect(changed.at("/created_at") == (try server.get(path).at("/created_at")), "\(path)")
            #expect(try server.send("DELETE", path, headers: ["If-Match: \"1\""]).status == 412, "\(path)")
            #expect(try server.get(path).status == 200, "\(path)")
            #expect(try server.send("DELETE", path, headers: ["If-Match: \"2\""]).status == 204, "\(path)")
            #expect(try server.send("DELETE", path).status == 404, "\(path)")
        }
    }

    @Test func `says who made it and who changed it`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let file = home.appending(path: "tokens").path
        func token(_ name: String) throws -> String {
            let made = try LiveServer.command(["token", "create", "--token-file", file, "--name", name])
            return "Authorization: Bearer " + made.output.trimmingCharacters(in: .newlines)
        }
        let (ada, bob) = (try token("ada"), try token("bob"))
        let server = try LiveServer(["--token-file", file], directory: home)
        for (path, spec, other) in Self.resources {
            _ = try server.send("PUT", path, headers: [ada], body: spec)
            _ = try server.send("PUT", path, headers: [bob], body: other)
            let shown = try server.get(path, headers: [ada])
            #expect(shown.at("/created_by") == "ada", "\(path): \(shown.json)")
            #expect(shown.at("/updated_by") == "bob", "\(path): \(shown.json)")
            // Sent back by another caller it is no change.
            let again = try server.send("PUT", path, headers: [ada], body: text(shown))
            #expect(again.status == 200, "\(path): \(again.json)")
            #expect(try server.get(path, headers: [ada]).json == shown.json, "\(path)")
        }
    }

    @Test func `keeps the value of a secret that is sent back, and refuses another fingerprint`() throws {
        let server = try LiveServer()
        _ = try server.send("PUT", "/v1/secrets/key", body: #"{"text": "correct horse"}"#)
        let shown = try server.get("/v1/secrets/key")
        #expect(!text(shown).contains("correct"))
        let same = try server.send("PUT", "/v1/secrets/key", body: #"{"text": "correct horse"}"#)
        #expect(same.at("/version") == 1)
        let wrong = #"{"spec": {"fingerprint": "00000000000000000000000000000000"}}"#
        let refused = try server.send("PUT", "/v1/secrets/key", body: wrong)
        #expect(refused.status == 400)
        #expect(refused.at("/errors/0/pointer") == "/spec/fingerprint")
        #expect(try server.get("/v1/secrets/key").json == shown.json)
    }

    @Test func `points into the body that was sent, and names what is not known beside a spec`() throws {
        let server = try LiveServer()
        let wrong = try server.send("PUT", "/v1/queues/mail", body: #"{"spec": {"concurrency": 0}}"#)
        #expect(wrong.at("/errors/0/pointer") == "/spec/concurrency")
        let beside = try server.send("PUT", "/v1/queues/mail", body: #"{"spec": {}, "stat": "open"}"#)
        #expect(beside.status == 400)
        #expect(beside.at("/errors/0/pointer") == "/stat")
        #expect(beside.at("/errors/0/suggestion") == "state")
        let other = try server.send("PUT", "/v1/queues/mail", body: #"{"spec": {}, "name": "sms"}"#)
        #expect(other.at("/errors/0/pointer") == "/name")
        let version = try server.send("PUT", "/v1/queues/mail", body: #"{"spec": {}, "version": "1"}"#)
        #expect(version.at("/errors/0/pointer") == "/version")
        #expect(try server.get("/v1/queues/mail").at("/version") == nil)
    }

    @Test func `is told where the spec belongs that stands in a member named for the thing`() throws {
        let server = try LiveServer()
        for (path, spec, _) in Self.resources {
            let last = path.hasSuffix("/limits") ? "limits" : String(path.split(separator: "/")[1].dropLast())
            let answer = try server.send("PUT", path, body: "{\"\(last)\": \(spec)}")
            #expect(answer.status == 400, "\(path): \(answer.json)")
            #expect(answer.at("/errors/0/pointer")?.string == "/\(last)", "\(path)")
            #expect(answer.at("/errors/0/suggestion") == "spec", "\(path)")
        }
    }

    @Test func `lists what there is to list, and every kind of problem`() throws {
        let server = try LiveServer()
        let index = try server.get("/v1")
        let paths = try #require(index.json.object).members.map { ($0.name, $0.value.string ?? "") }
        // The stream of events has no end.
        for (name, path) in paths where name != "events" {
            #expect(try server.get(path).status == 200, "\(name)")
        }
        #expect(index.at("/bulk_actions") == "/v1/bulk-actions")
        #expect(index.at("/problems") == "/v1/problems")
        var codes: [String] = []
        var path: String? = "/v1/problems?page_size=50"
        while let next = path {
            let page = try server.get(next)
            codes += (page.at("/items")?.array ?? []).compactMap { $0.at("/code")?.string }
            path = page.at("/next_page_token")?.string.map { "/v1/problems?page_size=50&page_token=\($0)" }
        }
        #expect(codes.count > 60 && codes == codes.sorted())
        #expect(codes.contains("job.not_found"))
    }
}
