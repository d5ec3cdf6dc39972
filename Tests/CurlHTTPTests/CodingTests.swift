import FaultyHTTP
import HTTPMessage
import Testing

@testable import CurlHTTP

/// The framing of the end of an answer.
enum AnswerFraming: String, CaseIterable, Sendable {
    case length, chunks, close

    /// An answer with this content, sent in pieces of one byte where chunks allow it.
    func answer(_ content: [UInt8], coding: String, status: String = "200 OK") -> [UInt8] {
        let head = "HTTP/1.1 \(status)\r\nContent-Type: text/plain\r\nContent-Encoding: \(coding)\r\n"
        switch self {
        case .length: return Array("\(head)Content-Length: \(content.count)\r\n\r\n".utf8) + content
        case .close: return Array("\(head)Connection: close\r\n\r\n".utf8) + content
        case .chunks:
            let chunks = content.flatMap { Array("1\r\n".utf8) + [$0] + Array("\r\n".utf8) }
            return Array("\(head)Transfer-Encoding: chunked\r\n\r\n".utf8) + chunks + Array("0\r\n\r\n".utf8)
        }
    }
}

@Suite struct `Content that is coded` {
    @Test(arguments: CodedSample.allCases, AnswerFraming.allCases)
    func `is unpacked`(sample: CodedSample, framing: AnswerFraming) async throws {
        let answer = try await answer(framing.answer(sample.bytes, coding: sample.coding))
        #expect(answer.text == CodedSample.text)
        #expect(answer.contentCoding == nil)
    }

    @Test(arguments: CodedSample.allCases, AnswerFraming.allCases)
    func `is truncated when it ends inside its coding`(
        sample: CodedSample, framing: AnswerFraming
    ) async throws {
        for count in [1, sample.bytes.count / 2, sample.bytes.count - 1] {
            let cut = Array(sample.bytes.prefix(count))
            for sink in [nil, RecordingSink()] {
                let failure = try await failure(framing.answer(cut, coding: sample.coding), into: sink)
                #expect(failure.code == "body.truncated", "\(count) bytes: \(failure.detail)")
                #expect(failure.detail.contains("ended inside its coding (\(sample.coding))"))
                #expect(failure.phase == .receive)
                #expect(failure.delivery == .answered)
                #expect(failure.status == 200)
            }
        }
    }

    @Test(arguments: CodedSample.allCases.filter(\.hasMembers), AnswerFraming.allCases)
    func `is one content when members follow each other`(
        sample: CodedSample, framing: AnswerFraming
    ) async throws {
        let bytes = sample.bytes + sample.bytes + sample.bytes
        let answer = try await answer(framing.answer(bytes, coding: sample.coding))
        #expect(answer.text == CodedSample.text + CodedSample.text + CodedSample.text)
        let failure = try await failure(framing.answer(bytes.dropLast(), coding: sample.coding))
        #expect(failure.code == "body.truncated")
    }

    @Test(arguments: CodedSample.allCases, AnswerFraming.allCases)
    func `is refused when data follows the end of its coding`(
        sample: CodedSample, framing: AnswerFraming
    ) async throws {
        for tail in [[0, 0, 0, 0, 0], Array("tail of the content".utf8), [0x1f, 0x8c, 8, 0, 0]] as [[UInt8]] {
            let failure = try await failure(framing.answer(sample.bytes + tail, coding: sample.coding))
            #expect(failure.code == "body.encoding")
            #expect(failure.detail.contains("after the end of its coding (\(sample.coding))"))
        }
    }

    @Test func `is unpacked through several codings, and truncated inside any of them`() async throws {
        let outer = AnswerFraming.length.answer(Self.wrapped(CodedSample.gzip.bytes), coding: "gzip, deflate")
        #expect(try await answer(outer).text == CodedSample.text)
        let cut = Self.wrapped(CodedSample.gzip.bytes.dropLast(9))
        let inner = try await failure(AnswerFraming.length.answer(cut, coding: "x-gzip, Deflate"))
        #expect(inner.code == "body.truncated")
        #expect(inner.detail.contains("(x-gzip)"))
    }

    @Test(arguments: ["gzip, chunked", "gzip", "rot13, chunked"])
    func `is refused when the transfer was coded`(coding: String) async throws {
        let sample = CodedSample.gzip.bytes
        let chunk = Array("\(String(sample.count, radix: 16))\r\n".utf8) + sample + Array("\r\n".utf8)
        let head = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n".utf8)
        for content in [chunk, []] {
            let failure = try await failure(head + content + Array("0\r\n\r\n".utf8))
            #expect(failure.code == "body.encoding")
            #expect(failure.detail.contains("transfer coding"))
            #expect(failure.delivery == .answered)
        }
    }

    @Test func `is nothing where nothing is announced, and truncated where the connection ends`() async throws
    {
        for coding in ["gzip", "deflate", "br", "zstd"] {
            #expect(try await answer(AnswerFraming.length.answer([], coding: coding)).body.isEmpty)
            #expect(try await answer(AnswerFraming.chunks.answer([], coding: coding)).body.isEmpty)
            let failure = try await failure(AnswerFraming.close.answer([], coding: coding))
            #expect(failure.code == "body.truncated")
        }
    }

    @Test func `stays a part with its coding when a part was asked for`() async throws {
        let part = Array(CodedSample.gzip.bytes[10..<40])
        let answer = try await answer(
            AnswerFraming.length.answer(part, coding: "gzip", status: "206 Partial Content"))
        #expect(answer.body == part)
        #expect(answer.contentCoding == "gzip")
    }

    @Test func `keeps its coding when decoding is off`() async throws {
        let cut = Array(CodedSample.br.bytes.dropLast())
        let answer = try await answer(AnswerFraming.length.answer(cut, coding: "BR"), asItCame: true)
        #expect(answer.body == cut)
        #expect(answer.contentCoding == "br")
    }

    @Test(arguments: ["identity", "none", "None", "identity, none"])
    func `is taken as it is when its coding is none`(coding: String) async throws {
        let answer = try await answer(AnswerFraming.length.answer(Array("as it is".utf8), coding: coding))
        #expect(answer.text == "as it is")
        #expect(answer.contentCoding == nil)
    }

    @Test(arguments: [("compress", "compress"), ("gzip, aws-chunked", "aws-chunked"), ("UTF-8", "utf-8")])
    func `names a coding that is not known`(coding: String, named: String) async throws {
        let failure = try await failure(AnswerFraming.length.answer([1, 2, 3], coding: coding))
        #expect(failure.code == "body.encoding")
        #expect(failure.detail.contains("\"\(named)\""))
        #expect(failure.suggestion?.contains("ask for the content as it is") == true)
    }

    @Test func `is refused when it has too many codings`() async throws {
        let coding = Array(repeating: "gzip", count: 6).joined(separator: ", ")
        let failure = try await failure(AnswerFraming.length.answer([0x1f], coding: coding))
        #expect(failure.code == "body.encoding")
    }

    @Test func `may not grow without bounds between two codings`() async throws {
        // The inner content is a gzip header with an unterminated name: it has no output.
        let bomb = try GzipSample.shell(
            "{ printf '\\037\\213\\010\\010\\0\\0\\0\\0\\0\\003'; head -c 50000000 /dev/zero | tr '\\0' a; } "
                + "| gzip -9")
        let failure = try await failure(AnswerFraming.length.answer(bomb, coding: "gzip, gzip"))
        #expect(failure.code == "body.expansion")
    }

    @Test func `reports the broken coding`() async throws {
        var broken = CodedSample.gzip.bytes
        broken[broken.count - 6] ^= 1
        let failure = try await failure(AnswerFraming.length.answer(broken, coding: "gzip"))
        #expect(failure.code == "body.encoding")
        #expect(failure.detail.contains("incorrect data check"))
    }

    /// The bytes in one stored block of bare deflate.
    private static func wrapped(_ bytes: [UInt8]) -> [UInt8] {
        let low = UInt8(bytes.count & 255)
        let high = UInt8(bytes.count >> 8)
        return [1, low, high, ~low, ~high] + bytes
    }

    private func answer(_ bytes: [UInt8], asItCame: Bool = false) async throws -> HTTPCallAnswer {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(bytes)
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.route.compression = !asItCame
        return try await withClient { [call] in try await $0.send(call) }
    }

    private func failure(_ bytes: [UInt8], into sink: RecordingSink? = nil) async throws -> HTTPCallFailure {
        let server = FaultServer { connection, _ in
            connection.readRequest()
            connection.send(bytes)
        }
        defer { server.stop() }
        var call = HTTPCall(method: "GET", url: server.url())
        call.sink = sink
        return try await withClient { [call] in try await expectFailure($0, call) }
    }
}

extension HTTPCallAnswer {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
