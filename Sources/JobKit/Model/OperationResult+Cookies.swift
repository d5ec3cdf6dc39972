internal import HTTPMessage
internal import StrictJSON

extension OperationResult {
    /// The kept cookies set by the answer (RFC 6265 §5.2), each name once: the last one counts. One that the answer
    /// removes, with the same `Domain` and `Path`, is absent; other attributes are ignored: later calls send the
    /// cookies where the spec says so.
    var cookies: [(name: String, value: String)] {
        let answeredAt = headers.first { $0.name.hasSameBytes(as: "date") }.flatMap { HTTPDate($0.value) }
        var cookies: [Cookie?] = []
        var places: [Cookie.Identity: Int] = [:]
        for header in headers where header.name.hasSameBytes(as: "set-cookie") {
            guard let cookie = Cookie(header.value, answeredAt: answeredAt) else { continue }
            if let place = places.removeValue(forKey: cookie.identity) { cookies[place] = nil }
            if !cookie.isRemoved {
                places[cookie.identity] = cookies.count
                cookies.append(cookie)
            }
        }
        var names: Set<ByteKey> = []
        let latest = cookies.compactMap(\.self).reversed().filter { names.insert(ByteKey($0.name)).inserted }
        return latest.reversed().map { ($0.name, $0.value) }
    }
}

/// A cookie that an answer sets or removes.
private struct Cookie {
    /// The parts that tell it from others.
    struct Identity: Hashable {
        let name: ByteKey
        let domain: ByteKey
        let path: ByteKey
    }

    let name: String
    let value: String
    let identity: Identity
    let isRemoved: Bool

    /// - Parameter answeredAt: the date of the answer. Without one, only the first day of time is past.
    init?(_ field: String, answeredAt: HTTPDate?) {
        let parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard let (name, value) = Self.pair(parts[0]), !name.isEmpty else { return nil }
        var (domain, path) = ("", "")
        var (age, expiry): (Bool?, Bool) = (nil, false)
        for part in parts.dropFirst() {
            guard let (attribute, value) = Self.pair(part) else { continue }
            let word = attribute.lowercased()
            if word.hasSameBytes(as: "domain") {
                domain = value.lowercased()
            } else if word.hasSameBytes(as: "path") {
                path = value
            } else if word.hasSameBytes(as: "max-age") {
                age = Self.isOver(age: value) ?? age
            } else if word.hasSameBytes(as: "expires"), let end = Self.date(value) {
                expiry = end <= answeredAt ?? HTTPDate(secondsSince1970: 86_400)
            }
        }
        (self.name, self.value) = (name, value)
        identity = Identity(name: ByteKey(name), domain: ByteKey(domain), path: ByteKey(path))
        // The age counts rather than the date.
        isRemoved = age ?? expiry
    }

    private static func pair(_ text: Substring.UTF8View) -> (String, String)? {
        let pair = text.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        return pair.count == 2 ? (trimmed(pair[0]), trimmed(pair[1])) : nil
    }

    /// Whether an age of so many seconds is over; nil when it is no number.
    private static func isOver(age: String) -> Bool? {
        let digits = age.utf8.first == UInt8(ascii: "-") ? age.utf8.dropFirst() : age.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.count < age.utf8.count || digits.allSatisfy { $0 == 0x30 }
    }

    /// A date in any form of HTTP, also with the hyphens that cookies have.
    private static func date(_ text: String) -> HTTPDate? {
        if let date = HTTPDate(text) { return date }
        let bytes = text.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: " ") : $0 }
        return HTTPDate(String(decoding: bytes, as: UTF8.self))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let bytes = Array(text.drop(while: isBlank))
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
