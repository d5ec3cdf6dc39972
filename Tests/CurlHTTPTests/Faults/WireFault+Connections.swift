import FaultyHTTP
import HTTPMessage

extension WireFault {
    /// More than the network takes at once.
    private static let longContent = [UInt8](repeating: 65, count: 16 << 20)

    static var connections: [WireFault] {
        [
            WireFault(name: "no listener on the port") { _, call in
                call.url = "http://127.0.0.1:\(FaultServer.refusingPort())/"
            },
            WireFault(name: "the address is forbidden") { _, call in call.url = "http://127.0.0.99:9/" },
            WireFault(name: "reset in the middle of the request") { world, call in
                call.url =
                    world.serve { connection in
                        connection.readSome()
                        connection.reset()
                    }.url()
                call.body = longContent
            },
            .server("reset after the request") { connection in
                connection.readRequest()
                connection.reset()
            },
            .server("closed after the request") { connection in connection.readRequest() },
            .server("reset in the head of the answer") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Ty")
                connection.pause(milliseconds: 50)
                connection.reset()
            },
            .server("reset in the content of the answer") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                connection.pause(milliseconds: 50)
                connection.reset()
            },
        ]
    }

    static var silences: [WireFault] {
        [
            WireFault(name: "no answer to the connection attempt") { world, call in
                call.url = "http://127.0.0.1:\(world.listen().port)/"
            },
            WireFault(name: "silence in the TLS handshake") { world, call in
                call.url = "https://127.0.0.1:\(world.serve { $0.waitForClose() }.port)/"
            },
            WireFault(name: "the request is not taken") { world, call in
                call.url = world.serve { $0.pause(milliseconds: 10_000) }.url()
                call.body = longContent
            },
            .server("silence after the request") { connection in
                connection.readRequest()
                connection.waitForClose()
            },
            .server("silence after an interim answer (1xx)") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                connection.waitForClose()
            },
            .server("silence in the head of the answer") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Ty")
                connection.waitForClose()
            },
            .server("silence in the content of the answer") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                connection.waitForClose()
            },
            .server("content that drips") { connection in
                connection.readRequest()
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                for _ in 0..<40 {
                    connection.send("a")
                    connection.pause(milliseconds: 200)
                }
            },
            .server("interim answers (1xx) without end") { connection in
                connection.readRequest()
                for _ in 0..<40 {
                    connection.send("HTTP/1.1 102 Processing\r\n\r\n")
                    connection.pause(milliseconds: 200)
                }
            },
        ]
    }
}
