import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// The content of an earlier answer as the content of a request.
@Suite(.serialized) struct `A live server and content that is passed on` {
    @Test(arguments: [1 << 10, 9 << 20])
    func `sends it byte for byte, however large it is`(size: Int) throws {
        let content = String(String(repeating: "0123456789abcdef\u{1}\n", count: size / 18 + 1).prefix(size))
        let peer = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET ") {
                    connection.answer(content, fields: "Content-Type: text/x-numbers\r\n")
                } else {
                    connection.answer("ok")
                }
            }
        }
        defer { peer.stop() }
        let server = try LiveServer()
        let done = try server.post(
            "/v1/jobs",
            #"""
            {"type":"group","name":"copy","operations":[
              {"type":"network","name":"from","request":"\#(peer.url("/from"))"},
              {"type":"network","name":"to","request":{"method":"PUT","url":"\#(peer.url("/to"))","artifact":"from"}}]}
            """#, headers: ["Prefer: wait=30"])
        #expect(done.at("/state") == "succeeded", "\(done.json)")
        let sent = try #require(peer.requests.first { $0.hasPrefix("PUT /to ") })
        #expect(sent.contains("\r\nContent-Length: \(size)\r\n"))
        #expect(sent.contains("\r\nContent-Type: text/x-numbers\r\n"))
        #expect(sent.utf8.suffix(size).elementsEqual(content.utf8))
        let id = try #require(done.at("/id")?.string)
        let archive = try server.get("/v1/jobs/\(id)/attempts", headers: ["Accept: application/har+json"])
        #expect(archive.at("/log/entries/0/response/content/size")?.number?.int == size)
    }
}
