import HTTPMessage
import JobKit

/// The paths of callback URLs, which are themselves permissions: they are shown nowhere.
enum CallbackPath {
    /// The beginning of each.
    static let prefix = Array("/callbacks/".utf8)
    /// The path that is shown instead.
    private static let shown = prefix + Array("***".utf8)

    static func has(_ path: ArraySlice<UInt8>) -> Bool { path.starts(with: prefix) }

    /// Whether a path has a token in another place than a callback URL does: no answer may repeat it.
    static func isAstray(_ path: ArraySlice<UInt8>) -> Bool {
        guard path.count > digitsMin, !has(path) else { return false }
        return path.indices.contains { path[$0] == marks[0][0] && isToken(path[$0...]) }
    }

    private static func isToken(_ text: ArraySlice<UInt8>) -> Bool {
        guard let mark = marks.first(where: { text.starts(with: $0) }) else { return false }
        let digits = text.dropFirst(mark.count).prefix(digitsMin)
        return digits.count == digitsMin && digits.allSatisfy(isDigit)
    }

    /// Whether a byte may stand behind the mark, also in a digit that is encoded.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x25, 0x2D, 0x5F: true
        default: false
        }
    }

    /// The beginning of each token, of which the last byte may be encoded.
    private static let marks = ["_", "%5F", "%5f"].map { Array((CallbackToken.prefix.dropLast() + $0).utf8) }
    /// Less than the digits of any token, and more than a name has by chance.
    private static let digitsMin = 50

    /// A path as logs and answers show it.
    static func shown(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let place = place(in: path) else { return isAstray(path) ? ArraySlice(shown) : path }
        return isAstray(path[..<place]) ? ArraySlice(shown) : path[..<place] + shown
    }

    /// The beginning of the prefix, which may be behind that of a proxy.
    private static func place(in path: ArraySlice<UInt8>) -> Int? {
        if path.count < prefix.count { return nil }
        return (path.startIndex...path.endIndex - prefix.count).first { place in
            path[place] == prefix[0] && path[place...].starts(with: prefix)
        }
    }

    /// Adds what keeps the URL of a page from those that it leads to.
    static func protect(_ response: inout HTTPResponse, at path: ArraySlice<UInt8>) {
        guard has(path), !response.fields.contains("referrer-policy") else { return }
        response.fields.add("Referrer-Policy", "no-referrer")
        if !response.fields.contains("cache-control") { response.fields.add("Cache-Control", "no-store") }
    }
}
