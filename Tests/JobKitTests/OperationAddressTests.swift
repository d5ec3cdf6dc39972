@testable import JobKit
import Testing

@Suite struct `The address of an operation` {
    @Test(arguments: [
        ([], "_root"), (["x"], "x"), (["login", "token"], "login/token"), (["again", "2"], "again/2"),
        (["2"], "2"),
    ])
    func `is relative to the job, and reads back`(path: [String], text: String) {
        #expect(OperationAddress.text(of: path) == text)
        #expect(OperationAddress.path(text) == path)
        #expect(OperationAddress.segment(of: path) == text.split(separator: "/").joined(separator: "%2F"))
    }

    @Test(arguments: ["", "/", "/x", "x/", "x//y"])
    func `has no empty name`(text: String) {
        #expect(OperationAddress.path(text).contains(""))
    }
}
