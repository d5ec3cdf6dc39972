import HTTPMessage

/// The events of a parser, body pieces of one request joined.
enum Said: Equatable {
    case head(method: String, target: String, minorVersion: Int, fields: [String])
    /// Follows a head with unusual flags.
    case wish(keepAlive: Bool, expectsContinue: Bool)
    case body([UInt8])
    case end
    case failure(status: Int, code: String)
}

/// Feeds `bytes` in pieces that end at `cuts` and returns all events.
func events(of bytes: [UInt8], cuts: [Int] = [], limits: HTTPParserLimits = HTTPParserLimits()) -> [Said] {
    var parser = HTTPRequestParser(limits: limits)
    var said: [Said] = []
    var start = 0
    for cut in cuts + [bytes.count] {
        let piece = Array(bytes[start..<cut])
        start = cut
        if !feed(piece, to: &parser, saying: &said) { break }
    }
    return said
}

/// Feeds one piece; false after a failure.
private func feed(_ piece: [UInt8], to parser: inout HTTPRequestParser, saying said: inout [Said]) -> Bool {
    var position = 0
    while true {
        switch parser.next(piece.span, from: &position) {
        case .needMore:
            return true
        case .head(let head):
            said.append(
                .head(
                    method: head.method.name, target: head.target.description,
                    minorVersion: head.minorVersion,
                    fields: head.fields.map { "\($0.name): \($0.value)" }))
            if !head.keepAlive || head.expectsContinue {
                said.append(.wish(keepAlive: head.keepAlive, expectsContinue: head.expectsContinue))
            }
        case .body(let range):
            if case .body(let before) = said.last {
                said[said.count - 1] = .body(before + piece[range])
            } else {
                said.append(.body(Array(piece[range])))
            }
        case .end:
            said.append(.end)
        case .failure(let failure):
            said.append(.failure(status: failure.status.code, code: failure.code.rawValue))
            return false
        }
    }
}
