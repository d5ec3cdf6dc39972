// Compiled by Tests/Fuzz/run together with the sources of HTTPMessage, so it needs no import of it.

/// The parser's events, in comparable form: body pieces are joined, heads written out.
struct Transcript: Equatable {
    var events: [String] = []
    var body: [UInt8] = []
    var bodyBytes = 0

    mutating func take(_ event: HTTPParserEvent, in piece: ArraySlice<UInt8>) {
        switch event {
        case .needMore: break
        case .head(let head): events.append(Self.text(head))
        case .body(let range):
            precondition(!range.isEmpty && range.upperBound <= piece.count, "a body piece lies in the input")
            body += piece[(piece.startIndex + range.lowerBound)..<(piece.startIndex + range.upperBound)]
            bodyBytes += range.count
        case .end: events.append("end after \(bodyBytes)")
        case .failure(let failure): events.append("failure \(failure.status.code) \(failure.code)")
        }
    }

    /// Touches every derived value, so that none of them can trap unnoticed.
    private static func text(_ head: HTTPRequestHead) -> String {
        let fields = head.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
        let query = head.target.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
        return "\(head.method) \(head.target) \(head.target.path) \(head.target.segments) \(query) "
            + "\(head.authority ?? "-") \(head.minorVersion) \(head.framing) \(head.keepAlive) "
            + "\(head.expectsContinue) \(fields)"
    }
}

/// Feeds `bytes` in pieces of the sizes in `sizes`, repeatedly.
func transcript(of bytes: [UInt8], sizes: [Int]) -> Transcript {
    var parser = HTTPRequestParser()
    var transcript = Transcript()
    var start = 0
    var turn = 0
    while start < bytes.count {
        let end = min(bytes.count, start + sizes[turn % sizes.count])
        turn += 1
        if !feed(bytes[start..<end], to: &parser, &transcript) { return transcript }
        start = end
    }
    return transcript
}

/// Feeds one piece until the parser wants more; false after a failure.
func feed(_ piece: ArraySlice<UInt8>, to parser: inout HTTPRequestParser, _ transcript: inout Transcript)
    -> Bool
{
    var position = 0
    var calls = 0
    while true {
        let before = position
        let event = parser.next(piece.span, from: &position)
        calls += 1
        precondition(
            position >= before && position <= piece.count, "input is consumed forwards, inside its bounds")
        precondition(calls <= 3 * piece.count + 3, "every few calls consume something")
        transcript.take(event, in: piece)
        switch event {
        case .needMore:
            precondition(position == piece.count, "everything is consumed before more is asked for")
            return true
        case .failure:
            expectFailure(parser)
            return false
        case .head, .body, .end: continue
        }
    }
}

/// After a failure there is only failure, whatever comes.
func expectFailure(_ parser: HTTPRequestParser) {
    var parser = parser
    var position = 0
    let more = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    guard case .failure = parser.next(more.span, from: &position) else {
        preconditionFailure("the parser went on after a failure")
    }
}

/// Parsers of text: none may trap, and accepted text must survive a round trip.
func readTexts(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let date = HTTPDate(text) { precondition(HTTPDate(date.description) == date, "dates come back") }
    _ = RetryAfter(text)?.delay(from: HTTPDate(secondsSince1970: 0))
    if let type = MediaType(text) {
        precondition(MediaType(type.description) == type, "media types come back")
        _ = type.quality(inAccept: text)
    }
    if let tag = EntityTag(text) { precondition(EntityTag(tag.description) == tag, "tags come back") }
    _ = EntityTag(opaque: "a")?.isNamed(inIfNoneMatch: text)
    _ = MediaType("a/b")?.quality(inAccept: text)
    _ = Prefer(text)
    if let address = IPAddress(text) {
        precondition(IPAddress(address.description) == address, "addresses come back")
    }
    if let range = CIDR(text) { precondition(CIDR(range.description) == range, "ranges come back") }
    _ = EgressPolicy().literalVerdict(forHost: text)
    readURL(text)
    readTemplate(text)
    for place in PercentCoding.Place.allCases where place != .reserved {
        let encoded = PercentCoding.encode(text, for: place)
        precondition(
            PercentCoding.decode(encoded, plusIsSpace: place == .form) == text, "encoding comes back")
    }
}

/// An accepted URL names the same place in its own description.
func readURL(_ text: String) {
    guard let url = try? URLParts(text) else { return }
    let again = try? URLParts(url.origin + url.path + (url.query.map { "?" + $0 } ?? ""))
    precondition(
        again?.host == url.host && again?.port == url.port && again?.path == url.path, "URLs come back")
    precondition(
        RequestTarget(text) == nil || RequestTarget(text)?.form == .absolute, "it is absolute as a target")
}

/// Values in a template without reserved expansion never add a reserved character.
func readTemplate(_ text: String) {
    guard let template = try? URITemplate(text, allowsReserved: false) else { return }
    let names = template.variableNames
    let plain = try? template.expand(names.map { ($0, .string("x")) })
    let nasty = try? template.expand(names.map { ($0, .string("/?#@:&=\r\n")) })
    guard let plain, let nasty else { return }
    for mark in "/?#@:&=\r\n".utf8 {
        precondition(
            plain.utf8.count { $0 == mark } == nasty.utf8.count { $0 == mark },
            "a value stays inside its place")
    }
    _ = try? template.expand(names.map { ($0, .list(["a", text])) })
    _ = try? template.expand(names.map { ($0, .pairs([(text, "")])) })
}

/// The entry point of libFuzzer. The first byte selects the target, the second the split.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input.dropFirst(2))
    if input[0] & 3 == 3 {
        readTexts(bytes)
        return 0
    }
    let whole = transcript(of: bytes, sizes: [max(1, bytes.count)])
    precondition(transcript(of: bytes, sizes: [1]) == whole, "byte by byte says the same")
    let cut = Int(input[1])
    precondition(
        transcript(of: bytes, sizes: [1 + cut & 15, 1 + cut >> 4, 7]) == whole, "pieces say the same")
    return 0
}
