import FaultyHTTP
import HTTPMessage

extension WireFault {
    static var secure: [WireFault] {
        [
            WireFault(name: "TLS: the certificate has expired") { world, call in
                call.url = try world.secure("old")
                call.route = try world.authority.route()
            },
            WireFault(name: "TLS: the certificate is for another host") { world, call in
                call.url = try world.secure("other")
                call.route = try world.authority.route()
            },
            WireFault(name: "TLS: the certificate is not trusted") { world, call in
                call.url = try world.secure("good")
            },
            WireFault(name: "TLS: a client certificate is asked for") { world, call in
                call.url = try world.secure("good", "-Verify 1 -verify_return_error -CAfile ca.pem")
                call.route = try world.authority.route()
            },
            WireFault(name: "TLS: the client certificate is not accepted") { world, call in
                call.url = try world.secure("good", "-Verify 1 -verify_return_error -CAfile ca.pem")
                let stranger = try TestAuthority()
                try stranger.issue("eve", for: "DNS:eve.example")
                call.route = try stranger.route(showing: "eve")
                call.route.authoritiesPEM = try world.authority.bytes("ca.pem")
            },
            WireFault(name: "TLS: the client certificate and its key do not fit") { world, call in
                call.url = try world.secure("good")
                call.route = try world.authority.route(showing: "good")
                call.route.clientKeyPEM = try world.authority.bytes("other.key")
            },
            WireFault(name: "TLS: only versions that are too old") { world, call in
                call.url = try world.secure("good", "-tls1_2")
                call.route = try world.authority.route()
                call.route.tlsMinimum = .v1_3
            },
            WireFault(name: "TLS: plain HTTP on the port") { world, call in
                let server = world.serve { connection in
                    connection.readSome()
                    connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
                    connection.waitForClose()
                }
                call.url = "https://127.0.0.1:\(server.port)/"
            },
            WireFault(name: "TLS: reset in the handshake") { world, call in
                let server = world.serve { connection in
                    connection.readSome()
                    connection.reset()
                }
                call.url = "https://127.0.0.1:\(server.port)/"
            },
            WireFault(name: "TLS: no HTTP/2 where it must be") { world, call in
                call.url = try world.secure("good")
                call.route = try world.authority.route()
                call.route.httpVersion = .http2
            },
        ]
    }

    static var proxies: [WireFault] {
        [
            WireFault(name: "proxy: no listener on its port") { _, call in
                call.url = "http://127.0.0.1:9/"
                call.route.proxy = "http://127.0.0.1:\(FaultServer.refusingPort())"
            },
            WireFault(name: "proxy: it requires credentials") { world, call in
                call.url = "https://127.0.0.1:9/"
                call.route.proxy = proxy(
                    answering:
                        "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n",
                    in: world)
            },
            WireFault(name: "proxy: it opens no tunnel") { world, call in
                call.url = "https://127.0.0.1:9/"
                call.route.proxy = proxy(
                    answering: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", in: world)
            },
            WireFault(name: "proxy: it is silent") { world, call in
                call.url = "https://127.0.0.1:9/"
                call.route.proxy = "http://127.0.0.1:\(world.serve { $0.waitForClose() }.port)"
            },
            WireFault(name: "proxy: TLS with it fails") { world, call in
                call.url = "http://127.0.0.1:9/"
                call.route.proxy = String(try world.secure("old").dropLast())
            },
            WireFault(name: "proxy: it is asked for a forbidden address") { world, call in
                call.url = "http://127.0.0.99:9/"
                call.route.proxy = "http://127.0.0.1:9"
            },
        ]
    }

    private static func proxy(answering text: String, in world: FaultWorld) -> String {
        let server = world.serve { connection in
            connection.readRequest()
            connection.send(text)
        }
        return "http://127.0.0.1:\(server.port)"
    }
}
