import HTTPMessage
import JobSpec
import Testing

@Suite struct `The URL of a spec` {
    @Test(arguments: [
        ("http://127.0.0.1:9/", "--egress-allow 127.0.0.1/32"), ("http://[::1]/", "--egress-allow ::1/128"),
        ("http://localhost/", "--egress-allow 127.0.0.0/8"),
        ("http://169.254.169.254/x", "--egress-allow 169.254.169.254/32"),
        ("http://10.0.0.1/", "--egress-allow 10.0.0.1/32"),
    ])
    func `with a forbidden address shows the line that permits it`(url: String, line: String) {
        let text = #"{"type":"network","request":"\#(url)"}"#
        let found = problems(text, egress: EgressPolicy())
        #expect(found.map(\.code) == ["egress.blocked"])
        #expect(found.first?.detail.contains(line) == true, "\(found)")
        #expect(problems(text).isEmpty)
    }

    @Test(arguments: ["http://{h}/", "http://{h}:{p}/x", "http://a.example:{p}/", "http://a{h}.example/"])
    func `may have a host and a port that come later`(url: String) {
        let call =
            #"{"type":"network","request":{"url":"\#(url)","vars":{"h":{"$get":"a","at":"/body"},"p":{"$get":"a"}}}}"#
        let text = #"{"type":"group","operations":[{"type":"value","name":"a","value":1},\#(call)]}"#
        #expect(problems(text, egress: EgressPolicy()).isEmpty)
    }

    @Test func `may call addresses that the policy permits`() throws {
        let policy = EgressPolicy(allow: [try #require(CIDR("127.0.0.0/8"))])
        #expect(problems(#"{"type":"network","request":"http://127.0.0.1/"}"#, egress: policy).isEmpty)
    }
}
