import FaultyHTTP
import Foundation
import ScratchPostgres
import StrictJSON
import Testing

/// A store whose `secret.key` is lost.
@Suite struct `A lost key` {
    private let upstream = FaultServer { connection, _ in
        while connection.readRequest() != nil { connection.answer("{}") }
    }

    private func put(_ server: LiveServer, _ name: String, _ value: String) throws {
        #expect(try server.send("PUT", "/v1/secrets/\(name)", body: #"{"text": "\#(value)"}"#).status == 201)
    }

    private func call(_ more: String, delay: String = "") -> String {
        #"{"type": "network"\#(delay), "request": {"url": "\#(upstream.url())"\#(more)}}"#
    }

    private let bearer = #", "auth": {"type": "bearer", "token": {"$secret": "crm"}}"#

    /// Stores secrets and what refers to them. Returns the unfinished job that needs one.
    private func fill(_ server: LiveServer) throws -> String {
        try put(server, "crm", "correct horse")
        try put(server, "idle", "battery staple")
        let connection =
            #"{"base_url": "\#(upstream.url())", "auth": {"type": "bearer", "token": {"$secret": "crm"}}}"#
        #expect(try server.send("PUT", "/v1/connections/sales", body: connection).status == 201)
        let template = #"{"operation": {"type": "network", "connection": "sales", "request": "orders"}}"#
        #expect(try server.send("PUT", "/v1/templates/order", body: template).status == 201)
        let schedule = #"{"cron": "0 3 1 1 *", "template": "order"}"#
        #expect(try server.send("PUT", "/v1/schedules/yearly", body: schedule).status == 201)
        return try server.submit(call(bearer, delay: #", "run_at": "30d""#))
    }

    /// Jobs that need a lost secret fail, and others run.
    private func check(_ server: LiveServer) throws {
        let failed = try server.post("/v1/jobs", call(bearer), headers: ["Prefer: wait=20"])
        #expect(failed.at("/state") == "failed")
        #expect(failed.at("/error/code") == "auth.secret_missing")
        #expect(failed.at("/error/detail")?.string?.contains("crm") == true, "\(failed)")
        let other = try server.post("/v1/jobs", call(""), headers: ["Prefer: wait=20"])
        #expect(other.at("/state") == "succeeded")
        let changes = try server.get("/v1/audit").at("/items")?.array ?? []
        #expect(
            changes.contains { JSONPointer("/by")?.resolve(in: $0) == "jobserver forget-secrets" },
            "\(changes)")
        // The new key takes new values.
        try put(server, "crm", "new horse")
        let again = try server.post("/v1/jobs", call(bearer), headers: ["Prefer: wait=20"])
        #expect(again.at("/state") == "succeeded")
        #expect(upstream.requests.last?.contains("Bearer new horse") == true)
    }

    private func refusal(_ flags: [String], _ home: URL) -> String {
        let refused = #expect(throws: LiveServer.Failure.self) { try LiveProgram(flags, directory: home) }
        guard case .didNotStart(let words)? = refused else { return "" }
        return words
    }

    @Test func `is no end: what it opened is listed and removed, and the rest stays`() throws {
        defer { upstream.stop() }
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data").path
        let key = data + "/secret.key"
        let forget = ["forget-secrets", "--data", data]
        let server = try LiveProgram(directory: home)
        let job = try fill(server)
        let inUse = try LiveServer.command(forget)
        #expect(inUse.code == 5)
        #expect(inUse.errors.contains("A server uses \(data). Stop it first."))
        #expect(server.stop() == 0)
        let right = try LiveServer.command(forget + ["--yes"])
        #expect(right.code == 0)
        #expect(right.output == "The key in \(key) opens all 2 secrets: nothing is lost.\n")

        let elsewhere = home.appending(path: "kept").path
        try FileManager.default.moveItem(atPath: key, toPath: elsewhere)
        let words = refusal([], home)
        #expect(words.contains("no secret key file at \(key)"), "\(words)")
        #expect(words.contains("jobserver forget-secrets") && words.contains("Docs/Secrets.md"))

        let listed = try LiveServer.command(forget)
        #expect(listed.code == 0)
        for text in [
            "There is no key file at \(key).", "2 of 2 secrets cannot be opened:",
            "connection sales; template order; schedule yearly; 1 unfinished job (\(job))", "  idle: stored ",
            "Nothing was changed.", "--yes",
        ] {
            #expect(listed.output.contains(text), "\(text) is not in \(listed.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: key))
        // With the key nothing is lost, wherever it is.
        let found = try LiveServer.command(forget + ["--yes", "--secret-key-file", elsewhere])
        #expect(found.output.contains("opens all 2 secrets"), "\(found)")

        let made = try LiveServer.command(forget + ["--yes"])
        #expect(made.code == 0, "\(made.errors)")
        for text in [
            "2 secrets were removed, 0 kept:", "A new key is in \(key).", "jobserver secret set crm < FILE",
        ] {
            #expect(made.output.contains(text), "\(text) is not in \(made.output)")
        }
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let last = try LiveProgram(directory: home)
        #expect(try last.get("/v1/jobs/\(job)").at("/state") == "scheduled")
        #expect(try last.get("/v1/connections/sales").status == 200)
        try check(last)
        #expect(last.stop() == 0)
    }

    @Test func `in whose place is another one costs what that does not open`() throws {
        defer { upstream.stop() }
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data").path
        let key = data + "/secret.key"
        let forget = ["forget-secrets", "--data", data]
        var server: LiveProgram? = try LiveProgram(directory: home)
        _ = try server.map(fill)
        #expect(server?.stop() == 0)
        server = nil
        try Data((String(repeating: "ab", count: 32) + "\n").utf8).write(to: URL(filePath: key))
        #expect(refusal([], home).contains("jobserver forget-secrets"))
        #expect(
            try LiveServer.command(forget).output.contains(
                "Some secrets are encrypted with a key other than \(key)."))
        let made = try LiveServer.command(forget + ["--yes"])
        #expect(made.output.contains("The key in \(key) stays."), "\(made)")
        server = try LiveProgram(directory: home)
        try server.map(check)
        #expect(server?.stop() == 0)
        // A file that holds no key is not written over.
        try Data("no key".utf8).write(to: URL(filePath: key))
        let damaged = try LiveServer.command(forget + ["--yes"])
        #expect(damaged.code == 3)
        #expect(damaged.errors.contains("move this file away"), "\(damaged.errors)")
        #expect(try Data(contentsOf: URL(filePath: key)) == Data("no key".utf8))
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `of a shared store is forgotten once no server runs`()
        throws
    {
        defer { upstream.stop() }
        let shared = SharedPlace()
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let key = home.appending(path: "key").path
        try Data(String(repeating: "5a", count: 32).utf8).write(to: URL(filePath: key))
        let (flags, named) = (try shared.flags(), ["--secret-key-file", key])
        let forget = ["forget-secrets"] + (try shared.storeFlags()) + named
        var server: LiveProgram? = try LiveProgram(flags + named, directory: home)
        let job = try server.map(fill) ?? ""
        try FileManager.default.removeItem(atPath: key)
        let running = try LiveServer.command(forget + ["--yes"])
        #expect(running.code == 1)
        #expect(running.errors.contains("1 server uses this store"), "\(running.errors)")
        #expect(server?.stop() == 0)
        server = nil
        #expect(refusal(flags + named, home).contains("jobserver forget-secrets"))
        let listed = try LiveServer.command(forget)
        #expect(listed.output.contains("2 of 2 secrets cannot be opened:"), "\(listed)")
        #expect(listed.output.contains("schedule yearly; 1 unfinished job (\(job))"), "\(listed)")
        let made = try LiveServer.command(forget + ["--yes"])
        #expect(made.output.contains("A new key is in \(key)."), "\(made)")
        #expect(made.output.contains("All servers of the store need it."))
        let last = try LiveProgram(flags + named, directory: home)
        try check(last)
        #expect(last.stop() == 0)
    }
}
