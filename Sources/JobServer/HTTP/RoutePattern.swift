/// A path of the API as data: literal, with one parameter in braces, such as `/v1/jobs/{id}:cancel`, or with a second
/// one, such as `/v1/jobs/{id}/signals/{name}`. A second one called `path` may hold slashes.
struct RoutePattern: Sendable, Hashable {
    /// As it is written in `openapi.yaml`.
    let text: String
    private let prefix: [UInt8]
    /// What stands behind the parameter: up to the end, or up to the second one.
    private let suffix: [UInt8]
    /// Whether there is a parameter.
    let hasParameter: Bool
    private let hasSecond: Bool
    /// What stands behind the second parameter.
    private let end: [UInt8]
    /// Whether the second parameter may hold slashes.
    private let isPath: Bool
    /// Whether the parameter is a host, which may hold `:` before a port or in an address.
    private let isHost: Bool

    /// The pattern that `text` writes.
    init(_ text: String) {
        self.text = text
        let bytes = Array(text.utf8)
        guard let open = bytes.firstIndex(of: 0x7B), let close = bytes.firstIndex(of: 0x7D), open < close
        else {
            prefix = bytes
            suffix = []
            hasParameter = false
            hasSecond = false
            isHost = false
            end = []
            isPath = false
            return
        }
        let rest = bytes[(close + 1)...]
        prefix = Array(bytes[..<open])
        suffix = Array(rest.prefix { $0 != 0x7B })
        hasParameter = true
        hasSecond = suffix.count < rest.count
        let second = rest.dropFirst(suffix.count + 1).prefix { $0 != 0x7D }
        isPath = second.elementsEqual("path".utf8)
        end = hasSecond ? Array(rest[(second.endIndex + 1)...]) : []
        isHost = bytes[(open + 1)..<close].elementsEqual("host".utf8)
    }

    /// The bytes of the first parameter (empty for a literal pattern) when `path` is one of this pattern's; a
    /// parameter is not empty and holds neither `/` nor `:`, but for a host.
    func match(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard hasParameter else {
            return path.count == prefix.count && path.elementsEqual(prefix) ? path.prefix(0) : nil
        }
        guard path.count > prefix.count + suffix.count, path.starts(with: prefix) else { return nil }
        if hasSecond { return firstOfTwo(in: path) }
        let middle = path.dropFirst(prefix.count).dropLast(suffix.count)
        guard path.suffix(suffix.count).elementsEqual(suffix) else { return nil }
        return (isHost ? Self.isHost(middle) : Self.isParameter(middle)) ? middle : nil
    }

    private func firstOfTwo(in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let first = path.dropFirst(prefix.count).prefix { $0 != 0x2F && $0 != 0x3A }
        let rest = path[first.endIndex...]
        guard !first.isEmpty, rest.starts(with: suffix), rest.count > suffix.count + end.count,
            rest.suffix(end.count).elementsEqual(end)
        else { return nil }
        let second = rest.dropFirst(suffix.count).dropLast(end.count)
        return (isPath ? !second.contains(0x3A) : Self.isParameter(second)) ? first : nil
    }

    /// The bytes of the second parameter of a path that matches; nil when the pattern has none.
    func second(in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard hasSecond, let first = firstOfTwo(in: path) else { return nil }
        return path[first.endIndex...].dropFirst(suffix.count).dropLast(end.count)
    }

    /// What stands behind the last `:` is a port or part of an address, and no word such as `reset`.
    private static func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty, !bytes.contains(0x2F) else { return false }
        guard let colon = bytes.lastIndex(of: 0x3A) else { return true }
        guard let next = bytes[(colon + 1)...].first else { return false }
        return !(UInt8(ascii: "g")...UInt8(ascii: "z")).contains(next)
    }

    private static func isParameter(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.isEmpty { return false }
        for byte in bytes where byte == 0x2F || byte == 0x3A { return false }
        return true
    }
}
