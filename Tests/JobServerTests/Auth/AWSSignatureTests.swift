import Foundation
import HTTPMessage
@testable import JobKit
@testable import JobServer
@testable import JobSpec
import OpenSSLCrypto
import StrictJSON
import Testing

/// AWS signatures, compared with those of botocore, the library of the official tools.
@Suite struct `An AWS signature` {
    private let credentials = (access: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    private let start = Timestamp(milliseconds: 1_792_578_600_123)

    /// Signs JSON objects from standard input, one per line, and writes the field `Authorization` of each.
    private let oracle = """
        import sys, json, base64
        from botocore.auth import SigV4Auth, S3SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
        for line in sys.stdin:
            case = json.loads(line)
            request = AWSRequest(method=case['method'], url=case['url'], data=base64.b64decode(case['body']))
            for name, value in case['fields']:
                request.headers[name] = value
            keys = Credentials(case['access'], case['secret'], case.get('session'))
            kind = S3SigV4Auth if case['service'] == 's3' else SigV4Auth
            auth = kind(keys, case['service'], case['region'])
            request.context['timestamp'] = case['time']
            auth._modify_request_before_signing(request)
            signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
            auth._inject_signature_to_request(request, signature)
            print(request.headers['Authorization'])
        """

    private struct Case {
        var call: HTTPCall
        var service: String
        var region = "eu-central-1"
        var session: String?
    }

    @Test func `is the one that botocore makes, for odd paths, queries, fields and contents`() throws {
        var generator = SplitMix(state: 42)
        var cases = Self.chosen
        for _ in 0..<400 { cases.append(Self.random(&generator)) }
        var lines = ""
        var ours: [String] = []
        for (number, sample) in cases.enumerated() {
            let now = start.advanced(by: .seconds(Int64(number) * 86_311))
            let keys = AWSCredentials(
                accessKey: credentials.access, secretKey: credentials.secret, sessionToken: sample.session,
                region: sample.region, service: sample.service)
            var call = sample.call
            try AWSSignature(credentials: keys, digests: OpenSSLDigests()).sign(&call, at: now)
            ours.append(call.fields.last { $0.name == "Authorization" }?.value ?? "none")
            let time = try #require(call.fields.first { $0.name == "X-Amz-Date" }?.value)
            lines += line(sample, url: call.url, time: time) + "\n"
        }
        let theirs = try Self.ask(oracle, lines).split(separator: "\n").map(String.init)
        #expect(theirs.count == cases.count)
        for (index, sample) in cases.enumerated() where index < theirs.count {
            #expect(
                ours[index] == theirs[index], "\(sample.service) \(sample.call.method) \(sample.call.url)")
        }
    }

    @Test func `leaves content unsigned only for S3 over TLS`() throws {
        func payload(_ url: String, _ service: String) throws -> String? {
            let keys = AWSCredentials(accessKey: "a", secretKey: "b", region: "r", service: service)
            var call = HTTPCall(method: "PUT", url: url)
            call.source = FixedSource(Array("content".utf8))
            try AWSSignature(credentials: keys, digests: OpenSSLDigests()).sign(&call, at: start)
            return call.fields.first { $0.name == "X-Amz-Content-SHA256" }?.value
        }
        let digest = HexText.encode(SHA256.digest(of: Array("content".utf8)))
        #expect(try payload("https://b.s3.amazonaws.com/k", "s3") == "UNSIGNED-PAYLOAD")
        #expect(try payload("http://b.s3.amazonaws.com/k", "s3") == digest)
        #expect(try payload("https://x.amazonaws.com/", "execute-api") == nil)
    }

    @Test func `is made anew for a call that was signed before`() throws {
        let keys = AWSCredentials(accessKey: "a", secretKey: "b", region: "r", service: "s3")
        var once = HTTPCall(method: "GET", url: "https://x.example/a?b=c")
        try AWSSignature(credentials: keys, digests: OpenSSLDigests()).sign(&once, at: start)
        var twice = once
        try AWSSignature(credentials: keys, digests: OpenSSLDigests()).sign(&twice, at: start)
        #expect(twice.fields.map(\.value).sorted() == once.fields.map(\.value).sorted())
    }

    private func line(_ sample: Case, url: String, time: String) -> String {
        var object = JSONObject()
        object["method"] = .string(sample.call.method)
        object["url"] = .string(url)
        object["body"] = .string(String(decoding: Base64.encode(sample.call.body ?? []), as: UTF8.self))
        object["fields"] = .array(sample.call.fields.map { .array([.string($0.name), .string($0.value)]) })
        object["access"] = .string(credentials.access)
        object["secret"] = .string(credentials.secret)
        if let session = sample.session { object["session"] = .string(session) }
        object["service"] = .string(sample.service)
        object["region"] = .string(sample.region)
        object["time"] = .string(time)
        return String(decoding: JSONValue.object(object).encoded(), as: UTF8.self)
    }

    private static let chosen: [Case] = [
        "https://example.amazonaws.com/", "https://example.amazonaws.com",
        "https://example.amazonaws.com//a//b/",
        "https://example.amazonaws.com/a/./b/../c", "https://example.amazonaws.com:8443/x?y=z",
        "https://example.amazonaws.com:443/x", "http://example.amazonaws.com:80/?a&b=&=c",
        "https://example.amazonaws.com/%20/%2F/it's(1)*!",
        "https://example.amazonaws.com/a|b^c`d{e}?f=|^`&g=../h",
        "https://example.amazonaws.com/a/%2e%2e/b/..",
        "https://example.amazonaws.com/?q=a+b&q=a%20b&Q=%C3%A4",
        "https://example.amazonaws.com/?b=2&a=1&a=0&A=3&a%5B%5D=x", "https://example.amazonaws.com/?x=a=b==",
        "https://example.amazonaws.com/?k=~-._%7E%2D", "https://[2001:db8::1]:9000/bucket/key",
    ].flatMap { url in
        ["s3", "execute-api"].map { service in
            Case(call: HTTPCall(method: "GET", url: url), service: service)
        }
    }

    private static func random(_ generator: inout SplitMix) -> Case {
        let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"]
        let pieces = [
            "a", "B", "7", "/", "//", "%20", "%2F", "-", "_", ".", "~", "!", "$", "'", "(", ")", "*", ",",
            ";",
            ":", "@", "%C3%A4", "%E2%82%AC", "..", "%25", "+",
        ]
        func text(_ count: Int, without excluded: Set<String> = []) -> String {
            (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "a" }
                .filter { !excluded.contains($0) }.joined()
        }
        var url =
            "https://\(["s3.eu-central-1.amazonaws.com", "x.example", "x.example:8080"].randomElement(using: &generator) ?? "x")/"
        url += text(Int.random(in: 0...12, using: &generator))
        let parameters = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
            text(3, without: ["//", "/", ".."]) + (Bool.random(using: &generator) ? "=" + text(4) : "")
        }.filter { !$0.isEmpty }
        if !parameters.isEmpty { url += "?" + parameters.joined(separator: "&") }
        var fields: [(name: String, value: String)] = []
        if Bool.random(using: &generator) {
            fields.append(("Content-Type", "application/json; charset=utf-8"))
        }
        if Bool.random(using: &generator) {
            fields.append(("X-Amz-Meta-Note", "  two   spaces\t and  a tab "))
        }
        if Bool.random(using: &generator) { fields.append(("User-Agent", "jobserver/1")) }
        if Bool.random(using: &generator) { fields.append(("Accept", "*/*")) }
        let body = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        return Case(
            call: HTTPCall(
                method: methods.randomElement(using: &generator) ?? "GET", url: url, fields: fields,
                body: body.isEmpty ? nil : body),
            service: ["s3", "execute-api", "dynamodb"].randomElement(using: &generator) ?? "s3",
            session: Bool.random(using: &generator) ? "token/with+odd==characters" : nil)
    }

    private static func ask(_ program: String, _ input: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let questions = directory.appending(path: "questions")
        try Data(input.utf8).write(to: questions)
        let process = Process()
        process.executableURL = root.appending(path: ".build/venv/bin/python")
        process.arguments = ["-c", program]
        process.standardInput = try FileHandle(forReadingFrom: questions)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: answer, as: UTF8.self)
    }
}

/// Repeatable random numbers.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

/// Content that is read piece by piece.
private final class FixedSource: HTTPContentSource {
    private let content: [UInt8]

    init(_ content: [UInt8]) { self.content = content }

    var byteCount: Int { content.count }

    func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(HTTPCallFailure) -> Int {
        let count = min(3, bytes.count, content.count - offset)
        for index in 0..<count { bytes[index] = content[offset + index] }
        return count
    }
}
