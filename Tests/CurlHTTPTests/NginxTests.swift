import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `With nginx, a call` {
    private struct World {
        let authority: TestAuthority
        let server: NginxServer

        init() throws {
            authority = try TestAuthority()
            try authority.issue("good", for: "IP:127.0.0.1,DNS:other.invalid")
            for name in ["ada", "bob"] { try authority.issue(name, for: "DNS:\(name).example") }
            server = try NginxServer(authority, content: ServedFile.bytes)
        }

        func call(_ port: Int, _ path: String, _ route: HTTPCallRoute = HTTPCallRoute()) -> HTTPCall {
            let scheme = port == server.plainPort ? "http" : "https"
            var call = HTTPCall(method: "GET", url: "\(scheme)://127.0.0.1:\(port)\(path)")
            call.route = route
            return call
        }
    }

    private func text(_ answer: HTTPCallAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test func `keeps its connection, and leaves it when it is closed`() async throws {
        let world = try World()
        let call = world.call(world.server.plainPort, "/who")
        let closing = world.call(world.server.plainPort, "/gone")
        let names = try await withClient { client in
            var names: [String] = []
            for one in [call, call, closing, call, call] { names.append(text(try await client.send(one))) }
            return names
        }
        #expect(names[0] == names[1])
        #expect(names[1] == names[2])
        #expect(names[3] != names[2])
        #expect(names[3] == names[4])
    }

    @Test func `speaks HTTP/2 with many at once on one connection`() async throws {
        let world = try World()
        let call = world.call(world.server.securePort, "/who", try world.authority.route())
        let answers = try await withClient { client in
            var answers = [try await client.send(call)]
            try await withThrowingTaskGroup(of: HTTPCallAnswer.self) { group in
                for _ in 0..<100 { group.addTask { try await client.send(call) } }
                for try await answer in group { answers.append(answer) }
            }
            return answers
        }
        #expect(answers.allSatisfy { $0.exchange.protocolName == "HTTP/2" })
        #expect(Set(answers.map(text)).count == 1)
        #expect(text(answers[0]).hasSuffix("HTTP/2.0"))
        #expect(answers.allSatisfy { $0.exchange.tlsVersion == "TLSv1.3" })
        #expect(answers.allSatisfy { $0.exchange.certificateExpiresAt != nil })
    }

    @Test func `waits for a connection until they turn out to be shared`() async throws {
        let world = try World()
        let call = world.call(world.server.securePort, "/who", try world.authority.route())
        var limits = CurlLimits()
        limits.connectionsPerHostMax = 2
        let answers = try await withClient(limits: limits) { client in
            try await withThrowingTaskGroup(of: HTTPCallAnswer.self) { group in
                for _ in 0..<150 { group.addTask { try await client.send(call) } }
                var answers: [HTTPCallAnswer] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
        }
        #expect(answers.count == 150)
        #expect(answers.allSatisfy { $0.exchange.protocolName == "HTTP/2" })
        #expect(Set(answers.map(text)).count <= 2)
    }

    @Test func `uses the requested version`() async throws {
        let world = try World()
        var old = try world.authority.route()
        old.httpVersion = .http1
        var new = try world.authority.route()
        new.httpVersion = .http2
        let calls = [old, new].map { world.call(world.server.securePort, "/who", $0) }
        let answers = try await withClient { client in
            [try await client.send(calls[0]), try await client.send(calls[1])]
        }
        #expect(answers.map(\.exchange.protocolName) == ["HTTP/1.1", "HTTP/2"])
        #expect(text(answers[0]).hasSuffix("HTTP/1.1"))
    }

    @Test func `is known by its own certificate only`() async throws {
        let world = try World()
        let routes = [nil, "ada", "bob"]
        let calls = try routes.map {
            world.call(world.server.strictPort, "/who", try world.authority.route(showing: $0))
        }
        let names = try await withClient { client in
            try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for index in 0..<60 {
                    group.addTask {
                        let answer = try await client.send(calls[index % 3])
                        return (index % 3, String(decoding: answer.body, as: UTF8.self))
                    }
                }
                var names: [Int: Set<String>] = [:]
                for try await (index, name) in group { names[index, default: []].insert(name) }
                return names
            }
        }
        #expect(names == [0: [""], 1: ["CN=ada"], 2: ["CN=bob"]])
    }

    @Test func `does not use a certificate whose key it does not have`() async throws {
        let world = try World()
        let right = world.call(world.server.strictPort, "/who", try world.authority.route(showing: "ada"))
        var wrong = right
        wrong.route.clientKeyPEM = try world.authority.bytes("bob.key")
        let failure = try await withClient { [wrong] client in
            _ = try await client.send(right)
            return try await expectFailure(client, wrong)
        }
        #expect(failure.code == "tls.client_certificate")
    }

    @Test(arguments: [true, false])
    func `fetches a file in ranges`(isSecure: Bool) async throws {
        let world = try World()
        let route = isSecure ? try world.authority.route() : HTTPCallRoute()
        let port = isSecure ? world.server.securePort : world.server.plainPort
        let sink = RecordingSink()
        var first = world.call(port, "/file", route)
        first.fields = [("Range", "bytes=0-1999999")]
        first.sink = sink
        let begun = try await withClient { [first] in try await $0.send(first) }
        #expect(begun.status == 206)
        #expect(begun.field("content-range") == "bytes 0-1999999/3000000")
        var rest = first
        rest.fields = [("Range", "bytes=2000000-"), ("If-Range", begun.field("etag") ?? "")]
        let ended = try await withClient { [rest] in try await $0.send(rest) }
        #expect(ended.status == 206)
        #expect(sink.all.bytes == ServedFile.bytes)
        rest.fields[1].value = "\"changed\""
        rest.sink = nil
        let whole = try await withClient { [rest] in try await $0.send(rest) }
        #expect(whole.status == 200)
        #expect(whole.body == ServedFile.bytes)
    }

    @Test func `goes through a tunnel to it`() async throws {
        let world = try World()
        let proxy = try ProxyServer()
        var route = try world.authority.route(showing: "ada")
        route.proxy = proxy.url()
        let call = world.call(world.server.strictPort, "/who", route)
        let answers = try await withClient { client in
            [try await client.send(call), try await client.send(call)]
        }
        #expect(answers.map(text) == ["CN=ada", "CN=ada"])
        #expect(answers.map(\.exchange.protocolName) == ["HTTP/2", "HTTP/2"])
        #expect(answers.map(\.exchange.reusedConnection) == [false, true])
        #expect(answers.allSatisfy { $0.exchange.usedProxy })
    }
}

/// The file that nginx serves.
private enum ServedFile {
    static let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
}
