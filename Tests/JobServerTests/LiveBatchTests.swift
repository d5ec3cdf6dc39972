import Foundation
import StrictJSON
import Testing

/// Batches over HTTP.
@Suite struct `A live batch` {
    @Test func `creates every job with a valid spec, and reports the problems of the others`() throws {
        let server = try LiveServer()
        let specs =
            #"[{"type":"delay","for":"1h"},{"type":"dealy"},{"type":"value","value":[1,"]"]},{"type":}]"#
        let answer = try server.post("/v1/jobs:batch", specs)
        #expect(answer.status == 200)
        #expect(answer.at("/accepted") == 2)
        #expect(answer.at("/refused") == 2)
        #expect((0..<4).map { answer.at("/items/\($0)/status") } == [202, 422, 202, 400])
        #expect(answer.at("/items/1/problem/errors/0/suggestion") == "delay")
        #expect(answer.at("/items/3/problem/code") == "json.malformed")
        let id = try #require(answer.at("/items/2/job/id")?.string)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"]).at("/state") == "succeeded")
        #expect(try server.get("/v1/jobs/\(id)/result").at("/1") == "]")
    }

    @Test func `refuses a spec that is too large like a single one`() throws {
        let server = try LiveServer()
        let long = #"{"type":"value","value":"\#(String(repeating: "x", count: 1 << 20))"}"#
        let file = LiveServer.temporaryDirectory().appending(path: "body.json")
        let curl = ["--data-binary", "@\(file.path)", "-H", "Content-Type: application/json"]
        try Data(#"[\#(long),{"type":"value","value":1}]"#.utf8).write(to: file)
        let answer = try server.send("POST", "/v1/jobs:batch", curl: curl)
        #expect((0..<2).map { answer.at("/items/\($0)/status") } == [413, 202])
        #expect(answer.at("/items/0/problem/code") == "request.body_too_large")
        try Data(long.utf8).write(to: file)
        #expect(try server.send("POST", "/v1/jobs", curl: curl).at("/code") == "request.body_too_large")
    }

    @Test func `lists the problems of its first specs, and then the first one of each`() throws {
        let server = try LiveServer()
        let members = (0..<101).map { #""x\#($0)":1"# }.joined(separator: ",")
        let wrong = Array(repeating: #"{"type":"delay","for":"1s",\#(members)}"#, count: 4)
        let answer = try server.post("/v1/jobs:batch", "[\(wrong.joined(separator: ","))]")
        #expect(answer.at("/refused") == 4)
        #expect(
            (0..<4).map { answer.at("/items/\($0)/problem/errors")?.array?.count } == [100, 100, 1, 1])
        let details = (0..<4).map { answer.at("/items/\($0)/problem/detail")?.string ?? "" }
        #expect(details[0].contains("99 more in errors. The rest was not read"))
        #expect(details[3].contains("The rest was not read"))
    }

    @Test func `is answered in its own order however many go to the store at once`() throws {
        let server = try LiveServer()
        let specs = (0..<130).map {
            $0 % 13 == 5 ? #"{"type":"dealy"}"# : #"{"type":"value","value":\#($0)}"#
        }
        let answer = try server.post("/v1/jobs:batch", "[\(specs.joined(separator: ","))]")
        #expect(answer.at("/accepted") == 120)
        for number in 0..<130 {
            let isWrong = number % 13 == 5
            #expect(answer.at("/items/\(number)/status") == (isWrong ? 422 : 202))
            guard !isWrong, number % 10 == 0 else { continue }
            let id = try #require(answer.at("/items/\(number)/job/id")?.string)
            #expect(
                try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"]).at("/state") == "succeeded")
            let result = try server.get("/v1/jobs/\(id)/result")
            #expect(String(decoding: result.body, as: UTF8.self) == "\(number)")
        }
        #expect(answer.at("/items/130") == nil)
    }

    @Test func `may have one spec on each line`() throws {
        let server = try LiveServer()
        let lines = "{\"type\":\"delay\",\"for\":\"1h\"}\r\n\n{\"type\":\"value\",\"value\":1}\n"
        let answer = try server.post(
            "/v1/jobs:batch", lines, headers: ["Content-Type: application/x-ndjson"])
        #expect(answer.at("/accepted") == 2)
        #expect(answer.at("/items/0/job/state") == "queued")
        let wrong = try server.post(
            "/v1/jobs:batch?atomic=true", lines + "{bad\n", headers: ["Content-Type: application/x-ndjson"])
        #expect(wrong.at("/errors/0/pointer") == "/2")
        #expect(wrong.at("/errors/0/detail")?.string?.hasPrefix("line 4, column 2: ") == true)
    }

    @Test func `names the specs with the same unique key when it is atomic`() throws {
        let server = try LiveServer()
        let spec = #"{"type":"delay","for":"1h","unique":"a"}"#
        let refused = try server.post("/v1/jobs:batch?atomic=true", "[\(spec),\(spec)]")
        #expect(refused.status == 409)
        #expect(refused.at("/errors/0/pointer") == "/1/unique")
        #expect(refused.at("/errors/0/detail")?.string?.hasPrefix("Specs 0 and 1 ") == true)
        #expect(try server.get("/v1/jobs").at("/items") == [])
    }

    @Test func `makes nothing when it is atomic and a spec is wrong`() throws {
        let server = try LiveServer()
        let wrong = #"[{"type":"delay","for":"1h"},{"type":"delay","for":7,"fro":1}]"#
        let refused = try server.post("/v1/jobs:batch?atomic=true", wrong)
        #expect(refused.status == 422)
        #expect(refused.at("/code") == "spec.invalid")
        #expect(refused.at("/errors/0/pointer")?.string?.hasPrefix("/1/") == true)
        #expect(refused.at("/errors/1/pointer")?.string?.hasPrefix("/1/") == true)
        #expect(try server.get("/v1/jobs").at("/items") == [])
        let right = #"[{"type":"delay","for":"1h"},{"type":"delay","for":"2h"}]"#
        #expect(try server.post("/v1/jobs:batch?atomic=true", right).at("/accepted") == 2)
    }

    @Test func `sent again with its key finds the same jobs, and another one with that key is refused`()
        throws
    {
        let server = try LiveServer()
        let key = ["Idempotency-Key: b1"]
        let specs = #"[{"type":"delay","for":"1h"},{"type":"nonsense"},{"type":"delay","for":"2h"}]"#
        let first = try server.post("/v1/jobs:batch", specs, headers: key)
        let again = try server.post("/v1/jobs:batch", specs, headers: key)
        for place in ["/items/0/job/id", "/items/2/job/id"] { #expect(again.at(place) == first.at(place)) }
        #expect(again.at("/items/0/replayed") == true)
        let other = try server.post("/v1/jobs:batch", #"[{"type":"delay","for":"3h"}]"#, headers: key)
        #expect(other.status == 422)
        #expect(other.at("/job_id") == first.at("/items/0/job/id"))
        #expect(try server.get("/v1/jobs").at("/items/2") == nil)
    }

    @Test(arguments: [
        ("", "json.malformed"), ("{}", "json.malformed"), ("[1", "json.malformed"),
        ("[]", "body.invalid"),
    ])
    func `must be a list of specs`(body: String, code: String) throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs:batch", body)
        #expect(answer.at("/code")?.string == code)
        #expect(answer.at("/detail")?.string?.contains("1,000") != true)
    }

    @Test func `has at most a thousand specs`() throws {
        let server = try LiveServer()
        let spec = #"{"type":"delay","for":"1h"}"#
        let many = Array(repeating: spec, count: 1_000).joined(separator: ",")
        #expect(try server.post("/v1/jobs:batch", "[\(many)]").at("/accepted") == 1_000)
        let array = try server.post("/v1/jobs:batch", "[\(many),\(spec)]")
        let lines = try server.post(
            "/v1/jobs:batch", String(repeating: spec + "\n", count: 1_001),
            headers: ["Content-Type: application/x-ndjson"])
        for answer in [array, lines] {
            #expect(answer.status == 413)
            #expect(
                answer.at("/detail")?.string?.contains("at most 1000 job specs") == true, "\(answer.json)")
        }
    }
}
