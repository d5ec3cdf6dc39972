import FaultyHTTP
import HTTPMessage

extension WireFault {
    static var answers: [WireFault] {
        [
            .answer("not HTTP at all", "SSH-2.0-OpenSSH_9.2\r\n"),
            .answer("HTTP/0.9: content without a head", "<html>hello</html>\n"),
            .answer("an unknown version of HTTP", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
            .answer("a status that is not a number", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
            .answer(
                "an unrequested switch of protocols (101)",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nnoise"),
            .answer("a NUL in the head", "HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n"),
            .answer("a length that is not a number", "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nabcde"),
            .answer("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde"),
            .answer(
                "two different lengths",
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"
            ),
            .answer(
                "a malformed chunk size", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nab"),
            .answer(
                "a chunk longer than it says",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n"),
            .answer(
                "an unknown transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\nuryyb"),
            .server("a head without end") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\n")
                let line = "X-Long: \(String(repeating: "v", count: 1000))\r\n"
                for _ in 0..<1000 { connection.send(line) }
            },
            WireFault(name: "redirects in a circle") { world, call in
                let server = world.serve { connection in
                    connection.answerAll("", status: "302 Found", fields: "Location: /again\r\n")
                }
                call.method = "GET"
                call.body = nil
                call.url = server.url()
            },
            WireFault(name: "a redirect to a file") { world, call in
                let server = world.serve { connection in
                    connection.answerAll("", status: "302 Found", fields: "Location: file:///etc/passwd\r\n")
                }
                call.method = "GET"
                call.body = nil
                call.url = server.url()
            },
        ]
    }

    static var contents: [WireFault] {
        [
            .answer(
                "closed before the announced length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"),
            .answer("closed within a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
            .answer("more content than announced", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef"),
            WireFault(name: "more content than the limit, announced") { world, call in
                let text =
                    "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + String(repeating: "x", count: 2000)
                call.url = answering(text, in: world)
                call.answerBytesMax = 1999
            },
            WireFault(name: "content without end") { world, call in
                let server = world.serve { connection in
                    connection.readRequest()
                    connection.send("HTTP/1.1 200 OK\r\n\r\n")
                    let piece = [UInt8](repeating: 7, count: 1 << 20)
                    for _ in 0..<20 { connection.send(piece) }
                }
                call.url = server.url()
            },
            WireFault(name: "a gzip bomb") { world, call in
                let bomb = try GzipSample.zeros(count: 100_000_000)
                let server = world.serve { connection in
                    connection.readRequest()
                    connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
                    connection.send(bomb)
                    connection.waitForClose()
                }
                call.url = server.url()
            },
            .answer(
                "content that is not what its coding says",
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
            .gzip("content that ends inside its coding", CodedSample.gzip.bytes.dropLast(20)),
            .gzip("data after the end of a coding", CodedSample.gzip.bytes + [0, 0, 0, 0]),
            .answer(
                "content in an unknown coding",
                "HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 5\r\n\r\nuryyb"),
        ]
    }

    static var statuses: [WireFault] {
        [
            .answer("400", "HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\nno"),
            .answer(
                "429 with `Retry-After` in seconds", status("429 Too Many Requests", "Retry-After: 1200")),
            .answer(
                "503 with `Retry-After` as a date",
                status("503 Service Unavailable", "Retry-After: Wed, 01 Jan 2200 00:00:00 GMT")),
            .answer("500", "HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\nno"),
            .answer("501", "HTTP/1.1 501 Not Implemented\r\nContent-Length: 2\r\n\r\nno"),
        ]
    }

    private static func gzip(_ name: String, _ bytes: [UInt8]) -> WireFault {
        WireFault(name: name) { world, call in
            let server = world.serve { connection in
                connection.readRequest()
                connection.send(AnswerFraming.length.answer(bytes, coding: "gzip"))
                connection.waitForClose()
            }
            call.url = server.url()
        }
    }

    private static func status(_ line: String, _ field: String) -> String {
        "HTTP/1.1 \(line)\r\n\(field)\r\nContent-Length: 2\r\n\r\nno"
    }

    private static func answering(_ text: String, in world: FaultWorld) -> String {
        world.serve { connection in
            connection.readRequest()
            connection.send(text)
        }.url()
    }
}
