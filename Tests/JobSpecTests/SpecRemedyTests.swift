@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing

/// A suggestion is valid: it is not a second mistake.
@Suite struct `A remedy` {
    private let request = #""request":"https://a.example/""#

    @Test(arguments: [
        ("$.status", "/body/status"), ("$.body.items[0].id", "/body/items/0/id"), ("status", "/status"),
        (".body['a b']", "/body/a b"), ("/id", "/body/id"), ("/stauts", "/status"),
    ])
    func `for a place is a pointer into the result`(written: String, suggested: String) throws {
        let spec = "{\"type\":\"poll\",\(request),\"until\":{\"at\":\"\(written)\",\"equals\":1}}"
        let problem = try #require(problems(spec).first)
        #expect(problem.pointer.description == "/until/at")
        #expect(problem.suggestion == suggested)
        #expect(problems(spec.replacing("\"\(written)\"", with: "\"\(suggested)\"")).isEmpty)
    }

    @Test(arguments: [
        (#""until":"ready""#, "/until"), (#""until":true"#, "/until"),
        (#""until":{"at":"","exists":true},"expect":{"that":"x"}"#, "/expect/that"),
        (#""until":{"at":"","exists":true},"retry":{"backoff":"exponential"}"#, "/retry/backoff"),
        (#""until":{"at":"","exists":true},"retry":{"backoff":["1s","2s"]}"#, "/retry/backoff"),
        (#""until":{"at":"","exists":true},"retry":"none""#, "/retry"),
        (#""until":{"at":"","exists":true},"retry":false"#, "/retry"),
        (#""until":{"at":"","exists":true},"retry":5"#, "/retry"),
    ])
    func `for a whole value can replace it`(member: String, pointer: String) throws {
        let spec = "{\"type\":\"poll\",\(request),\(member)}"
        let problem = try #require(problems(spec).first)
        #expect(problem.pointer.description == pointer)
        let value = try JSONParser.parse(Array(spec.utf8))
        let suggestion = try JSONParser.parse(Array(try #require(problem.suggestion).utf8))
        let mended = Self.replacing(problem.pointer.tokens[...], of: value, by: suggestion)
        guard case .failure(let found) = JobSpecReader.read(mended, now: Timestamp(milliseconds: 0)) else {
            return
        }
        Issue.record("\(found.list)")
    }

    @Test(arguments: [
        ("1h30", "1h30m"), ("1d12", "1d12h"), ("2m5", "2m5s"), ("90", "90s"), ("1h 30min", "1h30m"),
    ])
    func `for a duration is equivalent`(written: String, suggested: String) throws {
        let problem = try #require(problems("{\"type\":\"delay\",\"for\":\"\(written)\"}").first)
        #expect(problem.suggestion == suggested)
    }

    @Test(arguments: [("/tmp/report.pdf", #"{"artifact": "report.pdf"}"#), ("/", nil)])
    func `for content is a name, not a place in the file system`(written: String, suggested: String?) throws {
        let spec = "{\"type\":\"download\",\(request),\"save\":\"\(written)\"}"
        #expect(try #require(problems(spec).first).suggestion == suggested)
    }

    private static func replacing(
        _ path: ArraySlice<String>, of value: JSONValue, by other: JSONValue
    ) -> JSONValue {
        guard let name = path.first, case .object(var object) = value else { return other }
        object[name] = replacing(path.dropFirst(), of: object[name] ?? .null, by: other)
        return .object(object)
    }
}
