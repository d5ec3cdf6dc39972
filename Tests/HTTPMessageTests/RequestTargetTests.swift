import HTTPMessage
import Testing

@Suite struct `A request target` {
    @Test(arguments: [
        ("/", []), ("/v1/jobs", ["v1", "jobs"]), ("/v1/jobs/", ["v1", "jobs", ""]),
        ("/a%20b/%C3%A9", ["a b", "é"]),
        ("/a%2Fb", ["a/b"]), ("//a", ["", "a"]), ("/a+b", ["a+b"]), ("http://h", []), ("http://h/x?y", ["x"]),
        ("/...", ["..."]), ("/v1/jobs/job_1:cancel", ["v1", "jobs", "job_1:cancel"]),
    ])
    func `has decoded segments`(text: String, segments: [String]) {
        #expect(RequestTarget(text)?.segments == segments)
    }

    @Test func `has a decoded query in order`() {
        let query = RequestTarget("/x?a=1&b=%3D%26&c&&a=x+y%2B&=z&d=e=f")?.query
        #expect(
            query?.map { "\($0.name)|\($0.value)" } == ["a|1", "b|=&", "c|", "a|x y+", "|z", "d|e=f"])
        #expect(RequestTarget("/x")?.query.isEmpty == true)
        #expect(RequestTarget("/x?")?.queryBytes?.isEmpty == true)
        #expect(RequestTarget("/x")?.queryBytes == nil)
    }

    @Test(arguments: [
        "", "a", "/ ", "/\u{E9}", "/#", "/%", "/%1", "/%gg", "/%00", "/..", "/a/../b", "/%2e%2e", "/.%2E",
        "/.", "/a/.",
        "/\\", "/<", "/\"", "/%C3", "/?%C3%28", "http://", "http://u:p@h/", "ftp://h/", "http://h:0/",
        "//\u{7F}",
    ])
    func `is not made from a doubtful text`(text: String) {
        #expect(RequestTarget(text) == nil)
    }

    @Test func `knows its form`() {
        #expect(RequestTarget("*")?.form == .asterisk)
        #expect(RequestTarget("*")?.path == "*")
        #expect(RequestTarget("HTTPS://h:1?q")?.form == .absolute)
        #expect(RequestTarget("HTTPS://h:1?q")?.authority == "h:1")
        #expect(RequestTarget("http://h")?.path == "/")
        #expect(RequestTarget("/a%20?b")?.path == "/a%20")
        #expect(RequestTarget("/a")?.authority == nil)
    }
}
