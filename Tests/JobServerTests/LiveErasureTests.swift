import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

/// Erased jobs, and the files of the data directory.
@Suite struct `Erased jobs` {
    private static let marker = "zanzibar-0451"

    /// The files of the data directory that have the marker.
    private func finds(_ directory: URL) -> [String] {
        let data = directory.appending(path: "data")
        let names = FileManager.default.enumerator(atPath: data.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            (try? Data(contentsOf: data.appending(path: name)))?.range(of: Data(Self.marker.utf8)) != nil
        }
    }

    /// Waits until no file has the marker; returns those that keep it.
    private func left(_ directory: URL) -> [String] {
        for _ in 0..<600 where !finds(directory).isEmpty { usleep(50_000) }
        return finds(directory)
    }

    @Test(.timeLimit(.minutes(2))) func `leave the files soon, also after a retry, in bulk and after a kill`()
        throws
    {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let fails = Mutex(true)
        let large = String(repeating: Self.marker, count: 30_000)
        let upstream = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                let isFailure = fails.withLock { $0 }
                connection.answer(request + large, status: isFailure ? "500 Oh" : "200 OK")
            }
        }
        defer { upstream.stop() }
        var server = try LiveProgram(directory: home)
        func call() throws -> String {
            let id = try server.submit(
                """
                {"type": "network", "name": "call", "labels": {"who": "\(Self.marker)"},
                 "request": {"method": "POST", "url": "\(upstream.url("/\(Self.marker)"))",
                             "text": "\(Self.marker)", "headers": {"x-who": "\(Self.marker)"}},
                 "retry": {"max_attempts": 1}}
                """)
            try server.rest(id)
            return id
        }
        let first = try call()
        #expect(try server.get("/v1/jobs/\(first)").at("/state") == "failed")
        fails.withLock { $0 = false }
        #expect(try server.post("/v1/jobs/\(first):retry").status == 202)
        try server.rest(first)
        #expect(try server.get("/v1/jobs/\(first)").at("/state") == "succeeded")
        let second = try call()
        #expect(finds(home).contains { $0.hasPrefix("artifacts/") })
        #expect(finds(home).contains("jobs.db-wal"))
        #expect(try server.send("DELETE", "/v1/jobs/\(first)").status == 204)
        let erase = #"{"action": "erase", "ids": ["\#(second)"]}"#
        #expect(try server.post("/v1/bulk-actions", erase).status < 300)
        while try server.get("/v1/jobs/\(second)").status != 404 { usleep(10_000) }
        #expect(left(home) == [])

        let third = try call()
        #expect(try server.send("DELETE", "/v1/jobs/\(third)").status == 204)
        #expect(server.stop(SIGKILL) != 0)
        server = try LiveProgram(directory: home)
        #expect(left(home) == [])
        #expect(server.stop() == 0)
    }
}
