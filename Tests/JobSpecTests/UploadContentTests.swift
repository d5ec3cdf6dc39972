import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Synchronization
import TestOperations
import Testing

private let id = "art_01m89bdke0e52st1b9k4ypp8cx"
private let otherID = "art_01m89bdke0e52st1b9k4ypp8cy"

/// Content by its digest, read from memory as if it were in files.
private struct LocalPlace: ArtifactPlace {
    final class Reader: ArtifactReader {
        let content: [UInt8]

        init(_ content: [UInt8]) { self.content = content }

        var byteCount: Int { content.count }

        var pieceBytes: Int { 7 }

        func read(at offset: Int, into bytes: inout MutableSpan<UInt8>) throws(ArtifactFailure) -> Int {
            let count = min(bytes.count, pieceBytes, content.count - offset)
            for index in 0..<count { bytes[index] = content[offset + index] }
            return count
        }

        func bytes(_ range: Range<Int>) async throws(ArtifactFailure) -> [UInt8] { Array(content[range]) }
    }

    final class Draft: ArtifactDraft {
        var byteCount: Int { 0 }

        func append(_ bytes: Span<UInt8>) throws(ArtifactFailure) {}

        func sync(_ then: @escaping @Sendable (Result<Int, ArtifactFailure>) -> Void) {}

        func sync() async throws(ArtifactFailure) {}

        func finish() async throws(ArtifactFailure) -> ArtifactContent { .inline([]) }

        func discard() {}

        func close() async -> Int { 0 }
    }

    var contents: [String: [UInt8]]

    var inlineBytesMax: Int { 1 << 20 }

    func draft(for owner: String) -> any ArtifactDraft { Draft() }

    func fileDraft(for owner: String) -> any ArtifactDraft { Draft() }

    func partial(_ key: ArtifactKey, keeping bytes: Int) async -> any ArtifactDraft { Draft() }

    func newPartial(_ key: ArtifactKey) -> any ArtifactDraft { Draft() }

    func removePartial(_ key: ArtifactKey) {}

    func release(owner: String) {}

    func open(_ artifact: ArtifactReference) throws(ArtifactFailure) -> any ArtifactReader {
        guard let content = contents[artifact.sha256] else { throw ArtifactFailure(.missing, "It is gone.") }
        return Reader(content)
    }
}

/// The uploads `id`, and `otherID`, whose content is gone.
private struct MemoryUploads: UploadBook {
    let content: [UInt8]

    func content(of upload: UploadID) async -> UploadedContent? {
        switch upload.description {
        case id:
            UploadedContent(
                artifact: ArtifactReference(sha256: "here", bytes: content.count), contentType: "text/csv")
        case otherID:
            UploadedContent(artifact: ArtifactReference(sha256: "gone", bytes: 1), contentType: nil)
        default: nil
        }
    }
}

/// The content that a call sends, read in pieces of several sizes.
private func sent(_ call: HTTPCall) throws -> [UInt8] {
    guard let source = call.source else { return call.body ?? [] }
    var content: [UInt8] = []
    while content.count < source.byteCount {
        var piece = [UInt8](repeating: 0, count: 1 + content.count % 11)
        var space = piece.mutableSpan
        let count = try source.read(at: content.count, into: &space)
        try #require(count > 0)
        content += piece.prefix(count)
    }
    return content
}

@Suite struct `An upload in a spec` {
    private func run(_ request: String) async throws -> (
        ending: OperationEnding, calls: [HTTPCall]
    ) {
        let content = "id,total\n1,3\n"
        let run = SpecRun()
        run.prepare.withLock {
            $0 = { environment in
                environment.artifacts = LocalPlace(contents: ["here": Array(content.utf8)])
                environment.uploads = MemoryUploads(content: Array(content.utf8))
            }
        }
        let ending = try await run.ending(
            #"""
            {"type":"network","retry":{"max_attempts":1},"request":{"method":"POST","url":"https://a.example/",
              \#(request)}}
            """#)
        return (ending, run.calls.all)
    }

    private func type(_ call: HTTPCall) -> String? {
        call.fields.first { $0.name.lowercased() == "content-type" }?.value
    }

    @Test func `is the content of a request, with its type unless a field says another`() async throws {
        let plain = try await run(#""artifact":{"id":"\#(id)"}"#)
        #expect(plain.ending.state == .succeeded)
        let call = try #require(plain.calls.first)
        #expect(call.body == nil)
        #expect(try sent(call) == Array("id,total\n1,3\n".utf8))
        #expect(type(call) == "text/csv")
        let typed = try await run(#""artifact":{"id":"\#(id)"},"headers":{"Content-Type":"text/plain"}"#)
        #expect(type(try #require(typed.calls.first)) == "text/plain")
    }

    @Test func `is a part of a form beside others, read from its file`() async throws {
        let parts = #"""
            "multipart":[{"name":"note","text":"März"},{"name":"file","filename":"a.csv","artifact":{"id":"\#(id)"}},
              {"name":"again","artifact":{"id":"\#(id)"},"content_type":"text/plain"}]
            """#
        let call = try #require(try await run(parts).calls.first)
        let boundary = try #require(type(call).flatMap { MediaType($0)?.parameter("boundary") })
        let expected = """
            --\(boundary)\r
            Content-Disposition: form-data; name="note"\r
            \r
            März\r
            --\(boundary)\r
            Content-Disposition: form-data; name="file"; filename="a.csv"\r
            Content-Type: text/csv\r
            \r
            id,total\n1,3\n\r
            --\(boundary)\r
            Content-Disposition: form-data; name="again"\r
            Content-Type: text/plain\r
            \r
            id,total\n1,3\n\r
            --\(boundary)--\r\n
            """
        #expect(String(decoding: try sent(call), as: UTF8.self) == expected)
        #expect(call.source?.byteCount == expected.utf8.count)
        let repeated = try #require(try await run(parts).calls.first)
        #expect(type(repeated) == type(call), "every attempt sends the same bytes")
    }

    @Test(arguments: [("art_01m89bdke0e52st1b9k4ypp8cz", "POST /v1/artifacts"), (otherID, "It is gone.")])
    func `fails the call, and sends nothing, when it does not exist any more`(
        upload: String, words: String
    ) async throws {
        for content in [
            #""artifact":{"id":"\#(upload)"}"#, #""multipart":[{"name":"f","artifact":{"id":"\#(upload)"}}]"#,
        ] {
            let (ending, calls) = try await run(content)
            #expect(ending.state == .failed)
            #expect(ending.errors.first?.code == .storageMissing)
            #expect(ending.errors.first?.detail.contains(words) == true)
            #expect(calls.isEmpty)
        }
    }

    @Test func `is listed with its place, once, also where a template names it`() throws {
        let spec = try readSpec(
            #"""
            {"type":"group","operations":[
              {"type":"network","request":{"method":"PUT","url":"https://a.example/","artifact":{"id":"\#(id)"}}},
              {"type":"poll","every":"1s","until":{"at":"/status","equals":200},"request":{"method":"POST",
                "url":"https://a.example/","multipart":[{"name":"f","artifact":{"id":"\#(otherID)"}},
                {"name":"g","artifact":{"id":"\#(id)"}}]}}]}
            """#)
        #expect(
            spec.uploads.map { "\($0.pointer) \($0.id)" } == [
                "/operations/0/request/artifact/id \(id)",
                "/operations/1/request/multipart/0/artifact/id \(otherID)",
            ])
    }

    @Test func `cannot be named by a schedule, nor by a member that is added to a job without it`() throws {
        let call =
            #"{"type":"network","request":{"method":"PUT","url":"https://a.example/","artifact":{"id":"\#(id)"}}}"#
        let schedule = try JSONParser.parse(Array(#"{"every":"1h","job":\#(call)}"#.utf8))
        let read = ScheduleReader.read(
            schedule, name: "hourly", now: Timestamp(milliseconds: 0), egress: EgressPolicy(), kinds: .none,
            templates: { _ in nil })
        guard case .failure(let problems) = read else { return #expect(Bool(false), "it was accepted") }
        #expect(problems.list.map(\.code) == ["spec.not_available"])
        #expect(problems.list.first?.pointer.description == "/job/request/artifact/id")
        func addition(to group: String) throws -> [String] {
            let member = MemberAddition(group: [], spec: try JSONParser.parse(Array(call.utf8)))
            let checked = JobSpecReader.check(
                member, to: Array(group.utf8), earlier: [], now: Timestamp(milliseconds: 0), egress: nil,
                kinds: .none)
            if case .failure(let problems) = checked { return problems.list.map(\.code) }
            return []
        }
        let first = #"{"type":"group","operations":[{"type":"delay","for":"1s"}]}"#
        #expect(try addition(to: first) == ["spec.not_available"])
        #expect(try addition(to: #"{"type":"group","operations":[\#(call)]}"#) == [])
    }
}
