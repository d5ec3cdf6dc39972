import Foundation
import StrictJSON
import Testing

@Suite struct `A server with few descriptors` {
    @Test func `keeps serving, does not spin, and logs it once`() async throws {
        let server = try LiveProgram(openFiles: 40)
        var clients: [CInt] = []
        let port = try #require(URL(string: server.url)?.port)
        for _ in 0..<120 { clients.append(try connect(to: port)) }
        try await Task.sleep(for: .milliseconds(300))
        let before = try processorTime(of: server.pid)
        try await Task.sleep(for: .seconds(1))
        #expect(try processorTime(of: server.pid) - before < 0.3)
        for client in clients { close(client) }
        // A client that waited in line and disconnected is handled before the next one.
        for _ in 0..<20 where try server.get("/healthz").status != 200 {
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(try server.get("/healthz").status == 200)
        #expect(try server.post("/v1/jobs", #"{"type":"value","value":1}"#).status == 202)
        #expect(server.log.components(separatedBy: "descriptors_exhausted").count <= 3, "\(server.log)")
    }

    private func connect(to port: Int) throws -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = unsafe withUnsafeBytes(of: &address) { raw in
            unsafe Glibc.connect(
                descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        return descriptor
    }

    /// Seconds of processor time that a process has used.
    private func processorTime(of process: Int32) throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        let words = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        return (Double(words[12]) ?? 0) / 100 + (Double(words[13]) ?? 0) / 100
    }
}

@Suite struct `A server with more work than processors` {
    @Test(.enabled(if: sched_getscheduler(0) == 0, "the tests are scheduled in a way of their own"))
    func `does not interrupt those that answer for operations`() throws {
        let server = try LiveProgram()
        _ = try server.post("/v1/jobs", #"{"type":"value","value":1}"#, headers: ["Prefer: wait=30"])
        let (ordinary, batch) = (0, 3)
        let policies = try policiesOfThreads(of: server.pid)
        #expect(policies.contains { $0.name == "engine" && $0.value == batch })
        #expect(policies.contains { $0.name == "http-0" && $0.value == ordinary })
    }

    private func policiesOfThreads(of process: Int32) throws -> [(name: String, value: Int)] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").compactMap { thread in
            let stat = "/proc/\(process)/task/\(thread)/stat"
            guard let text = try? String(contentsOfFile: stat, encoding: .utf8) else { return nil }
            let name = text.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
            let words = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
            return (String(name), try #require(Int(words[39])))
        }
    }
}

@Suite struct `A server after a crash` {
    @Test func `checks everything in the store`() async throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        do {
            let server = try LiveProgram(directory: home)
            try server.rest(try server.submit(#"{"type":"value","value":1}"#))
            _ = server.stop(SIGKILL)
        }
        let server = try LiveProgram(directory: home)
        for _ in 0..<80 where !server.log.contains("store_checked") {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(server.log.contains("store_checked"))
        #expect(try server.get("/readyz").status == 200)
    }
}

@Suite struct `A stored spec that is damaged` {
    @Test func `is said where it is read, and the rest of the job is shown`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let id: String
        do {
            let server = try LiveProgram(directory: home)
            id = try server.submit(#"{"type": "value", "value": 1, "run_at": "30d"}"#)
            #expect(try server.get("/v1/jobs/\(id)?view=full").at("/effective") != nil)
            #expect(server.stop() == 0)
        }
        let change = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as store: store.execute("UPDATE spec SET bytes = X'7B'")
            """
        let changed = try LiveServer.run(
            URL(filePath: "/usr/bin/python3"), ["-c", change, home.path + "/data/jobs.db"])
        #expect(changed.code == 0, "\(changed.errors)")
        let server = try LiveProgram(directory: home)
        #expect(try server.get("/v1/jobs/\(id)").at("/done") == false)
        let full = try server.get("/v1/jobs/\(id)?view=full")
        #expect(full.status == 503)
        let known = try server.send("GET", "/v1/jobs/\(id)?view=full", headers: ["If-None-Match: \"r1\""])
        #expect(known.status == 304)
        #expect(full.at("/code") == "storage.damaged", "\(full)")
        #expect(full.at("/detail")?.string?.contains("spec of \(id)") == true, "\(full)")
    }
}
