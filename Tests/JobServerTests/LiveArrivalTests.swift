import FaultyHTTP
import Foundation
import ScratchPostgres
import StrictJSON
import Synchronization
import Testing

/// An upstream whose answer arrives in pieces: each when the test says so, the end after the last one.
private final class SlowUpstream: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let server: FaultServer

    /// - Parameters:
    ///   - pieces: the content.
    ///   - cuts: the numbers of the connections that end in place of their second piece.
    init(_ pieces: [[UInt8]], type: String = "text/plain", cuts: Set<Int> = []) {
        server = FaultServer { [gate] connection, number in
            guard connection.readRequest() != nil else { return }
            connection.send("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n")
            for (index, piece) in pieces.enumerated() {
                if index > 0 {
                    gate.wait()
                    if cuts.contains(number) { return }
                }
                connection.send("\(String(piece.count, radix: 16))\r\n")
                connection.send(piece + Array("\r\n".utf8))
            }
            gate.wait()
            connection.send("0\r\n\r\n")
        }
    }

    convenience init(_ pieces: String..., type: String = "text/plain", cuts: Set<Int> = []) {
        self.init(pieces.map { Array($0.utf8) }, type: type, cuts: cuts)
    }

    deinit {
        for _ in 0..<100 { gate.signal() }
        server.stop()
    }

    var url: String { server.url("/log") }
    var requests: Int { server.requests.count }

    /// Lets the next piece go, or the end.
    func goOn() { gate.signal() }
}

@Suite(.serialized) struct `A live server and content that arrives` {
    private func spec(_ upstream: SlowUpstream, _ more: String = #","stream":true"#) -> String {
        #"{"type":"network","name":"ask","request":"\#(upstream.url)"\#(more)}"#
    }

    /// Reads from an offset until there is something.
    private func read(
        _ server: LiveServer, _ place: String, from offset: String = "-1"
    ) throws -> LiveServer.Answer {
        try server.get("\(place)/result?offset=\(offset)&live=long-poll")
    }

    @Test func `shows what has come, and then what comes, from any offset`() throws {
        let upstream = SlowUpstream("one\n", "two\n", "three\n")
        let server = try LiveServer()
        let place = "/v1/jobs/\(try server.submit(spec(upstream)))"
        let first = try read(server, place)
        #expect(first.status == 200, "\(first.json)")
        #expect(String(decoding: first.body, as: UTF8.self) == "one\n")
        #expect(first.field("content-type") == "text/plain")
        #expect(first.field("stream-up-to-date") == "true")
        let next = first.field("stream-next-offset") ?? ""
        #expect(next == "000001_0000000000000004")
        upstream.goOn()
        let second = try read(server, place, from: next)
        #expect(String(decoding: second.body, as: UTF8.self) == "two\n")
        #expect(second.field("stream-closed") == nil)
        let present = try server.get("\(place)/result?offset=-1")
        #expect(String(decoding: present.body, as: UTF8.self) == "one\ntwo\n")
        let now = try server.get("\(place)/result?offset=now")
        #expect(now.status == 200 && now.body.isEmpty)
        #expect(now.field("stream-next-offset") == second.field("stream-next-offset"))
        #expect(try server.get(place).at("/state") == "running")
        upstream.goOn()
        upstream.goOn()
        #expect(try server.get(place, headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        // The same offsets are those of the result.
        let rest = try read(server, place, from: next)
        #expect(String(decoding: rest.body, as: UTF8.self) == "two\nthree\n")
        #expect(rest.field("stream-closed") == "true")
        let end = try read(server, place, from: rest.field("stream-next-offset") ?? "")
        #expect(end.status == 204 && end.field("stream-closed") == "true")
        #expect(try server.get(place).at("/result/bytes") == 14)
        #expect(upstream.requests == 1)
    }

    @Test func `is one answer until its end with ?live, also for one that comes before`() throws {
        let upstream = SlowUpstream("one\n", "two\n")
        let server = try LiveServer()
        #expect(try server.send("PUT", "/v1/queues/q", body: #"{"concurrency":1}"#).status == 201)
        #expect(try server.post("/v1/queues/q:pause").status == 200)
        let place = "/v1/jobs/\(try server.submit(spec(upstream, #","stream":true,"queue":"q""#)))"
        let read = Mutex<LiveServer.Answer?>(nil)
        let url = server.url
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let answer = PlainRequest("GET", url + place + "/result?live", headers: [], body: nil)?.send()
            read.withLock { $0 = answer }
            done.signal()
        }
        usleep(200_000)
        #expect(try server.post("/v1/queues/q:resume").status == 200)
        upstream.goOn()
        upstream.goOn()
        #expect(done.wait(timeout: .now() + 20) == .success)
        let answer = read.withLock { $0 }
        #expect(answer?.status == 200)
        #expect(answer.map { String(decoding: $0.body, as: UTF8.self) } == "one\ntwo\n")
        #expect(String(decoding: try server.get("\(place)/result?live").body, as: UTF8.self) == "one\ntwo\n")
    }

    @Test func `begins anew with another attempt, and old offsets say so`() throws {
        let upstream = SlowUpstream("one\n", "two\n", cuts: [0])
        let server = try LiveServer()
        let retry = #","stream":true,"retry":{"max_attempts":2,"backoff":"300ms","jitter":"none"}"#
        let place = "/v1/jobs/\(try server.submit(spec(upstream, retry)))"
        let first = try read(server, place)
        let old = first.field("stream-next-offset") ?? ""
        #expect(old.hasPrefix("000001_"))
        upstream.goOn()
        let restarted = try read(server, place, from: old)
        #expect(restarted.status == 410)
        #expect(restarted.at("/code") == "stream.restarted", "\(restarted.json)")
        upstream.goOn()
        upstream.goOn()
        #expect(try server.get(place, headers: ["Prefer: wait=20"]).at("/state") == "succeeded")
        #expect(try read(server, place, from: old).status == 410)
        let whole = try read(server, place)
        #expect(String(decoding: whole.body, as: UTF8.self) == "one\ntwo\n")
        #expect(whole.field("stream-next-offset") == "000002_0000000000000008")
    }

    @Test func `of an operation is at its result`() throws {
        let upstream = SlowUpstream("one\n", "two\n")
        let server = try LiveServer()
        let id = try server.submit(
            #"{"type":"group","operations":[\#(spec(upstream)),{"type":"delay","name":"d","for":"1ms"}]}"#)
        let place = "/v1/jobs/\(id)/operations/ask"
        #expect(String(decoding: try read(server, place).body, as: UTF8.self) == "one\n")
        upstream.goOn()
        upstream.goOn()
        #expect(String(decoding: try server.get("\(place)/result?live").body, as: UTF8.self) == "one\ntwo\n")
    }

    @Test func `is an event stream of whole characters`() throws {
        let euro = Array("€".utf8)
        let upstream = SlowUpstream([Array("a\nb".utf8) + euro[..<2], [euro[2]] + Array("!".utf8)])
        let server = try LiveServer()
        let place = "/v1/jobs/\(try server.submit(spec(upstream)))"
        let stream = try LiveStream(server, place + "/result?live=sse")
        let data = try #require(stream.next())
        #expect(data.name == "data" && data.text == "ab")
        let control = try #require(stream.next())
        #expect(control.name == "control")
        #expect(control.at("/streamNextOffset") == "000001_0000000000000003")
        upstream.goOn()
        #expect(stream.next()?.text == "€!")
        _ = stream.next()
        upstream.goOn()
        let last = stream.events { $0.at("/streamClosed") == true }
        #expect(last.last?.at("/streamNextOffset") == "000001_0000000000000007")
        #expect(stream.next() == nil)
    }

    @Test func `that ends inside a character has all its bytes, and an end`() throws {
        let cut = Array("abc€".utf8.dropLast())
        let upstream = SlowUpstream([cut])
        let server = try LiveServer()
        let place = "/v1/jobs/\(try server.submit(spec(upstream)))"
        let stream = try LiveStream(server, place + "/result?live=sse")
        #expect(try #require(stream.next()).text == "abc")
        _ = stream.next()
        upstream.goOn()
        let last = stream.events { $0.at("/streamClosed") == true }
        #expect(last.last?.at("/streamNextOffset") == "000001_0000000000000005")
        #expect(Array(try server.get("\(place)/result?live").body) == cut)
        #expect(Array(try server.get("\(place)/result?offset=000001_0000000000000003").body) == [0xE2, 0x82])
    }

    @Test func `ends with the event that until waits for, and has its events`() throws {
        let events = [
            "data: {\"text\":\"Hel\"}\n\n",
            "data: {\"text\":\"lo\"}\n\ndata: {\"done\":true}\n\ndata: more\n\n",
        ]
        let upstream = SlowUpstream(events.map { Array($0.utf8) }, type: "text/event-stream")
        let server = try LiveServer()
        let until = #","stream":{"until":{"at":"/json/done","equals":true}}"#
        let join = #"""
            {"type":"transform","name":"text","input":{"$get":"ask","at":"/events"},
            "where":{"at":"/json/text","exists":true},"each":{"$item":"/json/text"},"reduce":"join"}
            """#
        upstream.goOn()
        let job = try server.post(
            "/v1/jobs",
            #"{"type":"group","ordered":true,"operations":[\#(spec(upstream, until)),\#(join)]}"#,
            headers: ["Prefer: wait=20"])
        #expect(job.at("/state") == "succeeded", "\(job.json)")
        let text = try server.get("/v1/jobs/\(job.at("/id")?.string ?? "")/operations/text/result")
        #expect(String(decoding: text.body, as: UTF8.self) == #""Hello""#)
    }

    @Test func `hides a secret that comes in two pieces`() throws {
        let upstream = SlowUpstream("the key is s3cr", "et-value, keep it\n")
        let server = try LiveServer()
        #expect(try server.send("PUT", "/v1/secrets/k", body: #"{"text":"s3cret-value"}"#).status < 300)
        let place = "/v1/jobs/\(try server.submit(spec(upstream)))"
        #expect(String(decoding: try read(server, place).body, as: UTF8.self) == "the key is ")
        upstream.goOn()
        upstream.goOn()
        let whole = try server.get("\(place)/result?live")
        #expect(String(decoding: whole.body, as: UTF8.self) == "the key is ***, keep it\n")
    }

    @Test func `refuses other offsets and forms, and says that a failed job has none`() throws {
        let upstream = SlowUpstream("one\n")
        let server = try LiveServer()
        let place = "/v1/jobs/\(try server.submit(spec(upstream)))"
        for query in ["offset=7", "offset=1_2_3", "live=websocket", "offset=-1&range=2"] {
            #expect(try server.get("\(place)/result?\(query)").status == 400, "\(query)")
        }
        _ = try read(server, place)
        #expect(try server.get("\(place)/result?offset=000001_0000000000000009").status == 416)
        #expect(try server.post("\(place):cancel").status < 300)
        // What came can be read until the call has ended.
        #expect(try soon { try read(server, place).at("/code") == "job.no_result" })
        #expect(try read(server, place).status == 404)
        let refused = try server.post("/v1/jobs?validate_only", spec(upstream, #","stream":"yes""#))
        #expect(refused.at("/errors/0/pointer") == "/stream", "\(refused.json)")
    }

    @Test(.enabled(if: PostgresServer.isInstalled))
    func `is read on each server of a shared store`() throws {
        let shared = SharedPlace()
        let flags = try shared.flags()
        let upstream = SlowUpstream("one\n", "two\n")
        let servers = [try LiveServer(flags), try LiveServer(flags)]
        let place = "/v1/jobs/\(try servers[0].submit(spec(upstream)))"
        for server in servers {
            #expect(String(decoding: try read(server, place).body, as: UTF8.self) == "one\n")
        }
        upstream.goOn()
        upstream.goOn()
        for server in servers {
            let whole = try server.get("\(place)/result?live")
            #expect(String(decoding: whole.body, as: UTF8.self) == "one\ntwo\n")
        }
    }
}
