import HTTPMessage
import Testing

@Suite struct `A Range field` {
    @Test(arguments: [
        ("bytes=0-0", 0..<1), ("bytes=0-", 0..<10), ("bytes=9-", 9..<10), ("bytes=3-5", 3..<6),
        ("bytes=3-99", 3..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10), ("BYTES=1-2", 1..<3),
        ("bytes= 1-2", 1..<3),
    ])
    func `selects these bytes of ten`(text: String, range: Range<Int>) throws {
        #expect(try #require(ByteRange(text)).resolve(in: 10) == range)
    }

    @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0"])
    func `selects none of ten`(text: String) throws {
        #expect(try #require(ByteRange(text)).resolve(in: 10) == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=a-b", "bytes=1-2,4-5", "items=1-2",
        "bytes=+1-2",
        "bytes=1-2-3", "bytes=99999999999999999999-", "bytes=1 -2",
    ])
    func `counts as not there when it cannot be read or asks for several parts`(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test func `selects nothing of empty content`() throws {
        #expect(try #require(ByteRange("bytes=0-")).resolve(in: 0) == nil)
        #expect(try #require(ByteRange("bytes=-1")).resolve(in: 0) == nil)
    }
}

@Suite struct `A Content-Range field` {
    @Test(arguments: ["bytes 0-9/10", "bytes 5-9/*", "bytes */10", "bytes 0-0/1"])
    func `is written as it was read`(text: String) throws {
        #expect(try #require(ContentRange(text)).description == text)
    }

    @Test func `has the range and the length`() throws {
        let range = try #require(ContentRange("bytes 200-999/67589"))
        #expect(range.bytes == 200...999)
        #expect(range.total == 67_589)
    }

    @Test(arguments: [
        "", "bytes", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "items 0-1/2", "bytes 0-1", "bytes 0-1/x",
        "bytes -1/2", "bytes 0-1/2/3", "bytes 0-1/99999999999999999999",
    ])
    func `is ignored when it is contradictory or malformed`(text: String) {
        #expect(ContentRange(text) == nil)
    }
}
