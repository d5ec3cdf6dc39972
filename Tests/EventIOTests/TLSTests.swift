import EventIO
import Foundation
import HTTPMessage
import Testing

/// A certificate for `localhost`, made for one run of the tests.
struct TestCertificate {
    let directory: URL
    var certificateFile: String { directory.appending(path: "certificate.pem").path }
    var keyFile: String { directory.appending(path: "key.pem").path }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "eventio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let result = try run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout", keyFile, "-out", certificateFile)
        try #require(result.status == 0)
    }

    func remove() {
        try? FileManager.default.removeItem(at: directory)
    }
}

/// Runs a program to its end and returns its output.
func run(_ arguments: String..., input: String = "") throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let (output, feed) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = output
    process.standardInput = feed
    try process.run()
    try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try feed.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

@Suite struct `A listener with TLS` {
    private func withServer(
        service: TestService = TestService(), _ body: (TestServer, TestCertificate) throws -> Void
    ) throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        let context = try TLSServerContext(
            certificateFile: certificate.certificateFile, keyFile: certificate.keyFile)
        try body(try TestServer(tls: context, service: service), certificate)
    }

    @Test func `serves curl, which checks the certificate and keeps the connection`() throws {
        try withServer { server, certificate in
            let url = "https://localhost:\(server.listener.port)"
            let result = try run(
                "curl", "-sv", "--http1.1", "--cacert", certificate.certificateFile,
                "--resolve", "localhost:\(server.listener.port):127.0.0.1", "\(url)/one", "\(url)/two")
            #expect(result.status == 0)
            #expect(result.output.contains("GET /one "))
            #expect(result.output.contains("GET /two "))
            #expect(result.output.contains("ALPN: server accepted http/1.1"))
            #expect(result.output.contains("Re-using existing connection"))
        }
    }

    @Test func `carries large bodies both ways`() throws {
        let size = 3 << 20
        let service = TestService(
            admitting: { .accept($1, bodyBytesMax: 8 << 20) },
            handling: { exchange in
                exchange.respond(HTTPResponse(status: .ok, body: .bytes(exchange.request.body)))
            })
        try withServer(service: service) { server, certificate in
            let sent = certificate.directory.appending(path: "sent")
            let received = certificate.directory.appending(path: "received")
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            try bytes.write(to: sent)
            let result = try run(
                "curl", "-s", "--cacert", certificate.certificateFile, "-H", "Expect:",
                "--data-binary", "@\(sent.path)", "-o", received.path,
                "https://127.0.0.1:\(server.listener.port)/echo")
            #expect(result.status == 0)
            #expect(try Data(contentsOf: received) == bytes)
        }
    }

    @Test func `refuses old versions and other protocols, and keeps serving`() throws {
        try withServer { server, certificate in
            let url = "https://127.0.0.1:\(server.listener.port)/"
            let old = try run("curl", "-sv", "--insecure", "--tls-max", "1.1", url)
            #expect(old.status == 35)
            let plain = server.connect()
            plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(!plain.readAll().contains("200"))
            let client = try run(
                "curl", "-s", "--tls-max", "1.2", "--cacert", certificate.certificateFile, url)
            #expect(client.output == "GET / ")
        }
    }

    @Test func `resumes sessions`() throws {
        try withServer { server, certificate in
            let file = certificate.directory.appending(path: "session").path
            let address = "127.0.0.1:\(server.listener.port)"
            let request = "GET /r HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let first = try run(
                "openssl", "s_client", "-connect", address, "-ign_eof", "-sess_out", file, input: request)
            #expect(first.output.contains("GET /r "))
            let second = try run(
                "openssl", "s_client", "-connect", address, "-ign_eof", "-sess_in", file, input: request)
            #expect(second.output.contains("Reused, TLSv1.3"))
            #expect(second.output.contains("GET /r "))
        }
    }

    @Test func `names the bad file`() throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        let missing = #expect(throws: EventIOError.self) {
            try TLSServerContext(certificateFile: "/nowhere.pem", keyFile: certificate.keyFile)
        }
        #expect(missing?.code == .certificate)
        #expect(missing?.description.contains("/nowhere.pem") == true)
        let swapped = #expect(throws: EventIOError.self) {
            try TLSServerContext(
                certificateFile: certificate.certificateFile, keyFile: certificate.certificateFile)
        }
        #expect(swapped?.operation.hasPrefix("read the key") == true)
    }
}
