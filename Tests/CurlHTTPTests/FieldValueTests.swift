import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

@Suite struct `A field value` {
    private func answer(_ head: String, bytes: [UInt8]) async throws -> HTTPCallAnswer {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(Array(head.utf8) + bytes + Array("\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        defer { server.stop() }
        return try await withClient { try await $0.send(HTTPCall(method: "GET", url: server.url())) }
    }

    @Test func `with bytes above ASCII is UTF-8 where it is that, else ISO-8859-1`() async throws {
        let latin = try await answer("HTTP/1.1 200 OK\r\nX-Name: ", bytes: Array("caf".utf8) + [0xE9])
        #expect(latin.field("x-name") == "café")
        let utf8 = try await answer("HTTP/1.1 200 OK\r\nX-Name: ", bytes: Array("café".utf8))
        #expect(utf8.field("x-name") == "café")
    }

    @Test(arguments: ["Location", "content-location", "Operation-Location"])
    func `that is a reference has its other bytes percent-encoded`(name: String) async throws {
        let answer = try await answer(
            "HTTP/1.1 200 OK\r\n\(name): ", bytes: Array("/caf".utf8) + [0xE9] + Array("?q=".utf8) + [0xFF])
        #expect(answer.field(name) == "/caf%E9?q=%FF")
    }

    @Test(arguments: [600, 999])
    func `comes with a status above 599, too`(status: Int) async throws {
        let answer = try await answer("HTTP/1.1 \(status) Request denied\r\nX-Name: ", bytes: [0x61])
        #expect(answer.status == status)
    }

    @Test func `is resolved byte by byte`() async throws {
        let server = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                guard request.hasPrefix("GET / ") else {
                    connection.answer("there")
                    continue
                }
                connection.send(
                    Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /caf".utf8) + [0xE9]
                        + Array("\r\n\r\n".utf8))
            }
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url("/"))
        call.redirectsMax = 1
        let answer = try await withClient { [call] in try await $0.send(call) }
        #expect(answer.body == Array("there".utf8))
        #expect(server.requests.last?.hasPrefix("GET /caf%E9 ") == true)
    }
}
