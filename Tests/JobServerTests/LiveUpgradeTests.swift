import Foundation
import StrictJSON
import Testing

/// `Tests/Data/jobs-shape-12.db.gz` is the database of a server of that time, which was killed.
@Suite struct `A data directory of an older server` {
    /// The ids in it by the names of the jobs.
    private static let ids = [
        "done": "job_01m89zdj91fm28r7kkraatz9ka", "waits": "job_01m89zdjb6eaysd3f0z2ymqkff",
        "half": "job_01m89zdjckfjjabtpv0pqy2vwc", "running": "job_01m89zdkddfjkspeg07ad6dwcb",
    ]

    private func opened() throws -> LiveServer {
        let home = LiveServer.temporaryDirectory()
        let data = home.appending(path: "data")
        try FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Data/jobs-shape-12.db.gz").standardizedFileURL
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/gzip")
        gzip.arguments = ["-dc", file.path]
        let store = data.appending(path: "jobs.db")
        try Data().write(to: store)
        gzip.standardOutput = try FileHandle(forWritingTo: store)
        try gzip.run()
        gzip.waitUntilExit()
        try #require(gzip.terminationStatus == 0)
        return try LiveServer(directory: home)
    }

    @Test func `opens, and its jobs go on where they were`() throws {
        let server = try opened()
        defer { try? FileManager.default.removeItem(at: server.directory) }
        func ended(_ name: String) throws -> LiveServer.Answer {
            let path = "/v1/jobs/\(try #require(Self.ids[name]))"
            var answer = try server.get(path)
            while answer.status == 200, answer.at("/done") != true {
                answer = try server.get(path, headers: ["Prefer: wait=1"])
            }
            return answer
        }
        #expect(try ended("done").at("/result/inline/n") == 1)
        #expect(try ended("running").at("/result/inline/b") == 2)
        #expect(try server.get("/v1/jobs/\(Self.ids["half"] ?? "")").at("/state") == "waiting")
        for (name, signal) in [("waits", "go"), ("half", "on")] {
            let path = "/v1/jobs/\(Self.ids[name] ?? "")/signals/\(signal)"
            #expect(try server.post(path, #"{"payload": 5}"#).status == 202)
        }
        #expect(try ended("waits").at("/state") == "succeeded")
        #expect(try ended("half").at("/result/inline/b") == 2)
    }

    @Test(arguments: ["queue=own", "name=waits", "label.of=test", "type=await", "queue=default&name=half"])
    func `is found by its lists`(_ filter: String) throws {
        let server = try opened()
        defer { try? FileManager.default.removeItem(at: server.directory) }
        let page = try server.get("/v1/jobs?\(filter)")
        #expect(page.at("/items/0/name") != nil)
        #expect(page.at("/items/1") == nil)
    }
}
