import Foundation
import StrictJSON
import Testing

@Suite(.serialized, .enabled(if: SmallDisk.isPossible, "file systems cannot be mounted by this user"))
struct `A server on a small disk` {
    private func spec(_ origin: Origin, _ more: String = "") -> String {
        #"""
        {"type": "download", "request": "\#(origin.url)", "save": {"artifact": "data.txt"}, "name": "fetch",
         "retry": {"max_attempts": 1}\#(more)}
        """#
    }

    private func end(_ server: LiveServer, _ spec: String) throws -> LiveServer.Answer {
        try server.post("/v1/jobs", spec, headers: ["Prefer: wait=60"])
    }

    @Test func `takes nothing of a download that is too large, and goes on`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let disk = try SmallDisk(mebibytes: 64, at: home.appending(path: "data"))
        let content = [UInt8](repeating: 0x61, count: 80 << 20)
        let (known, unknown) = (Origin(content), Origin(content, [.unannounced, .unannounced]))
        let server = try LiveProgram(directory: home, wrapper: disk.wrapper)
        let refused = try end(server, spec(known))
        #expect(refused.at("/error/code") == "storage.full", "\(refused.json)")
        let detail = refused.at("/error/detail")?.string ?? ""
        #expect(detail.contains("needs 83886080 bytes") && detail.contains("--disk-reserve"), "\(detail)")
        #expect(disk.names("artifacts/partial").isEmpty)
        let stopped = try end(server, spec(unknown))
        #expect(stopped.at("/error/code") == "storage.full", "\(stopped.json)")
        #expect(soon { disk.names("artifacts/partial").isEmpty && disk.free > 40 << 20 })
        let answer = try end(
            server, #"{"type": "network", "request": "\#(unknown.url)", "retry": {"max_attempts": 1}}"#)
        #expect(answer.at("/error/code") == "storage.full", "\(answer.json)")
        #expect(soon { disk.names("artifacts/drafts").isEmpty })
        let file = home.appending(path: "large")
        try Data(content).write(to: file)
        for framing in ["Content-Type: text/plain", "Transfer-Encoding: chunked"] {
            let upload = try server.send(
                "POST", "/v1/artifacts", headers: [framing], curl: ["-T", file.path])
            #expect(upload.status == 503, "\(upload)")
            #expect(upload.at("/code") == "storage.disk_full")
        }
        #expect(soon { disk.names("artifacts/drafts").isEmpty && disk.free > 40 << 20 })
        #expect(try server.submit(#"{"type":"value","value":1}"#) != "")
        #expect(try server.send("DELETE", "/v1/jobs/\(stopped.at("/id")?.string ?? "")").status == 204)
    }

    @Test func `takes cancellations and deletions when others have filled it, also after a restart`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let disk = try SmallDisk(mebibytes: 64, at: home.appending(path: "data"))
        let origin = Origin([UInt8](repeating: 0x61, count: 20 << 20))
        var waiting: [String] = []
        var (large, unfinished) = ("", "")
        do {
            let server = try LiveProgram(directory: home, wrapper: disk.wrapper)
            for _ in 0..<4 { waiting.append(try server.submit(#"{"type":"delay","for":"1h"}"#)) }
            large = try end(server, spec(origin)).at("/id")?.string ?? ""
            let cut = Origin([UInt8](repeating: 0x62, count: 9 << 20), [.cut(after: 5 << 20)])
            unfinished = try end(server, spec(cut)).at("/id")?.string ?? ""
            #expect(disk.names("artifacts/partial").count == 1)
            let doctor = try disk.run(
                LiveServer.program, ["doctor", "--data", home.appending(path: "data").path])
            let found = "an unfinished download of \(unfinished) takes 5 MiB"
            #expect(doctor.output.contains(found), "\(doctor)")
            try disk.fill("foreign")
            // The unfinished download may have given way at once.
            #expect(disk.free <= 5 << 20)
            // The disk is looked at ten times a second, and the log has some room of its own.
            var refused = try server.post("/v1/jobs", #"{"type":"value","value":1}"#)
            _ = try soon {
                if refused.status == 202 {
                    refused = try server.post("/v1/jobs", #"{"type":"value","value":1}"#)
                }
                return refused.status != 202
            }
            #expect(refused.status == 503)
            #expect(refused.at("/code") == "storage.disk_full", "\(refused.json)")
            #expect(refused.field("retry-after") != nil)
            #expect(try server.post("/v1/jobs/\(waiting[0]):cancel").status == 200)
            #expect(try server.send("DELETE", "/v1/jobs/\(waiting[0])").status == 204)
            // The unfinished download gives way.
            #expect(soon { disk.names("artifacts/partial").isEmpty })
            #expect(soon { server.log.contains("storage_low") })
            _ = server.stop(SIGKILL)
        }
        try disk.fill("foreign2")
        let server = try LiveProgram(directory: home, wrapper: disk.wrapper)
        #expect(try server.get("/v1/jobs/\(waiting[1])").status == 200)
        #expect(try server.post("/v1/jobs", #"{"type":"value","value":1}"#).status == 503)
        // No unfinished download is left that could give way.
        #expect(try server.get("/readyz").status == 503)
        let metrics = String(decoding: try server.get("/metrics").body, as: UTF8.self)
        let content = "jobserver_disk_used_bytes{part=\"content\"} \(20 << 20)\n"
        #expect(metrics.contains(content), "\(metrics)")
        #expect(metrics.contains("jobserver_storage_sound 0\n"))
        let doctor = try disk.run(
            LiveServer.program, ["doctor", "--data", home.appending(path: "data").path])
        #expect(doctor.code == 1)
        #expect(doctor.errors.contains("results 20 MiB in 1 file"), "\(doctor)")
        #expect(doctor.errors.contains("the largest files: foreign"), "\(doctor)")
        #expect(try server.post("/v1/jobs/\(waiting[1]):cancel").status == 200)
        #expect(try server.send("DELETE", "/v1/jobs/\(waiting[1])").status == 204)
        #expect(try server.send("DELETE", "/v1/jobs/\(large)").status == 204)
        try disk.remove("foreign")
        #expect(try soon { try server.post("/v1/jobs", #"{"type":"value","value":1}"#).status == 202 })
        #expect(server.log.contains("storage_recovered"))
    }
}
