import Foundation
import StrictJSON
import Testing

/// Calls to httpbin, which checks credentials and echoes requests.
@Suite struct `A call to httpbin` {
    @Test func `is identified by its credentials, and its content arrives unchanged`() throws {
        let peer = try HTTPBin()
        let server = try LiveServer()
        for (name, value) in [("word", "pässwörd:1"), ("token", "a.b-c_d~e+f/g==")] {
            _ = try server.send("PUT", "/v1/secrets/\(name)", body: #"{"text": "\#(value)"}"#)
        }
        func call(_ path: String, _ more: String) throws -> LiveServer.Answer {
            try server.post(
                "/v1/jobs",
                #"{"type": "network", "request": {"url": "\#(peer.url(path))"\#(more)}, "retry": {"max_attempts": 1}}"#,
                headers: ["Prefer: wait=20"])
        }
        let basic = #", "auth": {"type": "basic", "username": "ada", "password": "#
        let word = "p%C3%A4ssw%C3%B6rd:1"
        let right = try call("/basic-auth/ada/\(word)", basic + #"{"$secret": "word"}}"#)
        #expect(right.at("/result/inline/authenticated") == true, "\(right.json)")
        let wrong = try call("/basic-auth/ada/\(word)", basic + #""other"}"#)
        #expect(wrong.at("/error/upstream/status") == 401)
        let bearer = try call("/bearer", #", "auth": {"type": "bearer", "token": {"$secret": "token"}}"#)
        #expect(bearer.at("/result/inline/authenticated") == true)
        #expect(bearer.at("/result/inline/token") == "***")
        let form = try call(
            "/anything", #", "method": "POST", "form": {"a": "ä&b", "c": {"$secret": "word"}}"#)
        #expect(form.at("/result/inline/form/a") == "ä&b")
        #expect(form.at("/result/inline/form/c") == "***")
        let json = try call(
            "/anything", #", "method": "PUT", "json": {"deep": [1, {"x": {"$secret": "word"}}]}"#)
        #expect(json.at("/result/inline/json/deep/1/x") == "***")
        #expect(json.at("/result/inline/json/deep/0") == 1)
    }
}
