import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Answers whose size an upstream or a user decides, and clients that do not read them.
@Suite(.serialized) struct `A live server and long answers` {
    @Test func `keeps of long heads what fits, and says what is missing`() throws {
        let upstream = Upstream()
        defer { upstream.stop() }
        let fields =
            (1...50).map { "X-Long-\($0): " + String(repeating: "y", count: 5 << 10) } + ["Retry-After: 0"]
        let url = upstream.script("/long", .status(503, fields: fields))
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type":"network","request":"\#(url)","retry":{"max_attempts":5,"backoff":"1ms","jitter":"none"}}"#
        )
        let job = try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=20"])
        #expect(job.at("/state") == "failed")
        #expect(job.at("/attempt") == 5)
        #expect(job.body.count < 64 << 10)
        #expect(job.at("/error/upstream/headers/retry-after") == "0")
        #expect((job.at("/error/upstream/omitted/headers")?.number?.int64 ?? 0) >= 47)
        let attempts = try server.get("/v1/jobs/\(id)/attempts")
        #expect(attempts.at("/items")?.array?.count == 5)
        #expect(attempts.body.count < 128 << 10)

        let list = try server.get("/v1/jobs")
        #expect(list.body.count < 4 << 10)
        #expect(list.at("/items/0/error/code") == "http.status")
        #expect(list.at("/items/0/error/upstream/status") == 503)
        #expect(list.at("/items/0/error/omitted/link")?.string == "/v1/jobs/\(id)")
        #expect(try server.get("/v1/jobs/\(id)").at("/error/upstream/headers/x-long-1") != nil)
    }

    @Test func `ends a page early that is long, loses nothing, and bounds what is not read`() throws {
        let server = try LiveProgram(["--trusted-proxy", "127.0.0.0/8"])
        let text = String(repeating: "m", count: 15 << 10)
        let spec = #"{"type":"delay","for":"1h","metadata":{"m":"\#(text)"}}"#
        let batch = server.directory.appending(path: "batch.json")
        // 450 jobs of 15 KiB: more than a page has.
        for _ in 1...9 {
            try Data("[\(Array(repeating: spec, count: 50).joined(separator: ","))]".utf8).write(to: batch)
            let added = try server.send(
                "POST", "/v1/jobs:batch", headers: ["Content-Type: application/json"],
                curl: ["--data-binary", "@\(batch.path)"])
            #expect(added.status < 300, "\(added.json)")
        }
        let page = "/v1/jobs?page_size=500"
        let first = try server.get(page)
        #expect((4 << 20...5 << 20).contains(first.body.count))
        let token = try #require(first.at("/next_page_token")?.string)
        let second = try server.get("\(page)&page_token=\(token)")
        let ids = [first, second].flatMap { $0.at("/items")?.array ?? [] }.compactMap {
            $0.object?["id"]?.string
        }
        #expect(Set(ids).count == 450 && ids.count == 450)
        #expect(second.at("/next_page_token") == nil)

        // Without a bound these would take 600 MiB.
        let port = try #require(UInt16(server.url.split(separator: ":").last ?? ""))
        let sleepers = try (1...150).map { _ in try Sleeper(port, asking: page, from: "10.0.0.1") }
        let other = ["X-Forwarded-For: 10.0.0.2"]
        var refused = try server.get(page, headers: ["X-Forwarded-For: 10.0.0.1"])
        let deadline = Date().addingTimeInterval(60)
        while refused.status == 200, Date() < deadline {
            refused = try server.get(page, headers: ["X-Forwarded-For: 10.0.0.1"])
        }
        #expect(refused.status == 429)
        #expect(refused.at("/code") == "client.limited")
        #expect(refused.field("retry-after") != nil)
        let again = try server.get(page, headers: other)
        #expect((4 << 20...5 << 20).contains(again.body.count))
        #expect(try server.get("/v1/jobs/\(ids[0])", headers: other).status == 200)
        #expect(Self.memory(of: server.pid) < 450 << 10, "KiB")
        withExtendedLifetime(sleepers) {}
    }

    /// The resident memory of a process, in KiB.
    private static func memory(of pid: Int32) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return Int(line.split(separator: " ").dropLast().last ?? "") ?? .max
    }
}

/// A client that asks and never reads the answer.
private final class Sleeper {
    private let descriptor: Int32

    init(_ port: UInt16, asking path: String, from client: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var bytes: Int32 = 4 << 10
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeBytes(of: &address) { raw in
            unsafe connect(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
        guard status == 0 else { throw LiveServer.Failure.didNotStart("no connection") }
        let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: \(client)\r\n\r\n"
        let text = Array(request.utf8)
        _ = unsafe text.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }

    deinit { close(descriptor) }
}
