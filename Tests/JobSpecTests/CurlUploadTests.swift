@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `A curl line with a large file` {
    private static let id = "art_01m89bdke0e52st1b9k4ypp8cx"

    /// A line whose files are small, but for `big`, which is never read.
    private func line(_ words: String...) throws -> CurlInvocation {
        try CurlInvocation(
            ["curl", "https://a.example/"] + words, userAgent: "curl/8",
            size: { $0.utf8.elementsEqual("big".utf8) ? 1 << 40 : 5 },
            read: { $0.utf8.elementsEqual("big".utf8) ? nil : Array("small".utf8) })
    }

    private func request(_ line: CurlInvocation) -> JSONValue? {
        line.spec(uploads: line.uploads.map { _ in Self.id }).object?["request"]
    }

    @Test func `uploads it for a part of a form, and leaves small ones in the spec`() throws {
        let line = try line(
            "-F", "note=@small;filename=n.txt", "-F", "file=@big;type=text/csv;filename=a.csv")
        #expect(line.uploads.map(\.path) == ["big"])
        let parts = request(line)?.object?["multipart"]?.array
        #expect(parts?.first?.object?["text"] == "small")
        #expect(
            parts?.last
                == [
                    "name": "file", "filename": "a.csv", "content_type": "text/csv",
                    "artifact": ["id": .string(Self.id)],
                ])
    }

    @Test(arguments: [["-T", "big"], ["--data-binary", "@big"]])
    func `uploads it as the whole content`(words: [String]) throws {
        let line = try line(words[0], words[1])
        #expect(line.uploads.map(\.path) == ["big"])
        let sent = request(line)?.object
        #expect(sent?["artifact"] == ["id": .string(Self.id)])
        #expect(sent?["text"] == nil)
        #expect(sent?["method"] == .string(words[0] == "-T" ? "PUT" : "POST"))
    }

    @Test func `is refused where it would be only a part of the content`() {
        let refusal = #expect(throws: CurlInvocation.Refusal.self) {
            try line("--data-binary", "@big", "-d", "more=1")
        }
        #expect(refusal?.details.first?.contains("big is larger than 256 KiB") == true)
    }
}
