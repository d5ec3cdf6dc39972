import HTTPMessage

/// Mutates raw requests, and knows the two cases where h11 is stricter or reads something else.
enum RequestMutation {
    private static let tokens: [[UInt8]] = [
        "\r\n", "\n", "\r", " ", "\t", ":", ";", ",", "\0", "0", "1", "a", "f", "+", "-", "0x", "chunked",
        "%", "/", "=",
        "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Host: b\r\n", "\r\n\r\n", "\"",
        "HTTP/1.0", "\u{E9}",
    ].map { Array($0.utf8) }

    /// One request of `corpus` with one to three changes.
    static func damage(_ corpus: [RawRequest], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(corpus[Int.random(in: 0..<corpus.count, using: &random)].bytes.prefix(1500))
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                bytes.insert(contentsOf: tokens[Int.random(in: 0..<tokens.count, using: &random)], at: at)
            case 1 where at < bytes.count:
                bytes.remove(at: at)
            case 2 where at < bytes.count:
                bytes[at] = UInt8.random(in: 0...255, using: &random)
            default:
                let end = min(bytes.count, at + Int.random(in: 0...20, using: &random))
                bytes.insert(contentsOf: bytes[at..<end], at: at)
            }
        }
        return bytes
    }

    /// Whether the difference is a known one: empty lines before a request, an HTTP/1.0 connection that is kept, an
    /// expectation without a body, or a head that h11 cannot decide about yet.
    static func isExplained(_ bytes: [UInt8], _ ours: String, _ theirs: String) -> Bool {
        let plain = { (text: String) in text.replacing(" x ", with: " - ") }
        if plain(ours) == plain(theirs) { return true }
        if theirs.hasSuffix("|closed"), plain(ours).hasPrefix(plain(String(theirs.dropLast(7)))) {
            return String(decoding: bytes, as: UTF8.self).contains("HTTP/1.0")
        }
        return (theirs == "F" || theirs.hasSuffix("|F"))
            && plain(ours).hasPrefix(plain(String(theirs.dropLast(1))))
            && hasEmptyLineBeforeRequest(bytes)
    }

    /// Whether our parser meets a carriage return where a request could start.
    private static func hasEmptyLineBeforeRequest(_ bytes: [UInt8]) -> Bool {
        var parser = HTTPRequestParser()
        var position = 0
        while true {
            if parser.isBetweenRequests, position < bytes.count, bytes[position] == 0x0D { return true }
            switch parser.next(bytes.span, from: &position) {
            case .needMore, .failure: return false
            case .head, .body, .end: continue
            }
        }
    }
}
