@testable import JobSpec
import StrictJSON
import Testing

/// "é" as one character and as two, which Unicode calls equal, are two texts.
@Suite struct `Two spellings of a text` {
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    @Test(arguments: [composed, decomposed])
    func `are two labels for the key of a job`(label: String) throws {
        let job = try readSpec(
            #"""
            {"type":"value","value":1,"labels":{"\#(Self.composed)":"one","\#(Self.decomposed)":"two"},
             "queue_key":{"$job":"labels","at":"/\#(label)"}}
            """#)
        #expect(job.queueKey == (label.utf8.count == 2 ? "one" : "two"))
    }

    @Test func `are two clients, each with its own token`() {
        let changes: [(inout OAuth2Auth, String) -> Void] = [
            { $0.scope = ByteKey($1) }, { $0.audience = ByteKey($1) }, { _, _ in },
        ]
        for (index, change) in changes.enumerated() {
            let clients = [Self.composed, Self.decomposed].flatMap { text in
                var auth = OAuth2Auth(
                    tokenURL: "https://a.example/", clientID: .literal("a"), clientSecret: .literal("b"),
                    scope: nil, audience: nil, style: .basic)
                change(&auth, text)
                guard index == 2 else { return [OAuth2Client(spec: auth, id: "a", secret: "b")] }
                return [
                    OAuth2Client(spec: auth, id: text, secret: "b"),
                    OAuth2Client(spec: auth, id: "a", secret: text),
                ]
            }
            #expect(Set(clients).count == clients.count)
        }
    }

    @Test func `are two versions of a download`() {
        func past(_ tag: String) -> DownloadPast {
            DownloadPast(run: 1, status: 200, fields: [("etag", tag)])
        }
        let tags = [Self.composed, Self.decomposed, "\u{301}a", "\u{301}b"].map { "\"\($0)\"" }
        for one in tags {
            for other in tags {
                #expect(past(one).isSame([("etag", other)]) == (Array(one.utf8) == Array(other.utf8)))
            }
        }
    }

    @Test(arguments: ["a:b", "a:\u{301}b", "\u{600}:b"])
    func `do not hide the colon in a user name`(name: String) {
        #expect(BasicAuth(username: .literal(.string(name)), password: .literal("x")).warning != nil)
    }
}
