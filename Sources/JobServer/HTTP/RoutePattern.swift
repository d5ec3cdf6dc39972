/// A path of the API: literal, with one parameter in braces, such as `/v1/jobs/{id}:cancel`, or with two, such as
/// `/v1/jobs/{id}/signals/{name}`. A second parameter called `path` may contain slashes.
struct RoutePattern: Sendable, Hashable {
    /// The pattern as written in `openapi.yaml`.
    let text: String
    /// The literal before the first parameter.
    let prefix: [UInt8]
    /// The literal after the first parameter, up to the end or the second parameter.
    private let suffix: [UInt8]
    let hasParameter: Bool
    private let hasSecond: Bool
    /// The literal after the second parameter.
    private let end: [UInt8]
    /// Whether the second parameter may contain slashes.
    private let isPath: Bool
    /// Whether the parameter is a host, which may contain `:` before a port or in an address.
    private let isHost: Bool
    /// Whether the parameter is an origin, which may contain slashes, too.
    private let isOrigin: Bool

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
            isOrigin = false
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
        isOrigin = bytes[(open + 1)..<close].elementsEqual("origin".utf8)
        isHost = isOrigin || bytes[(open + 1)..<close].elementsEqual("host".utf8)
    }

    /// Whether it is a path directly below the version, without parameter and command: `/v1/jobs`.
    var isList: Bool { !hasParameter && prefix.starts(with: "/v1/".utf8) && !prefix.contains(0x3A) }

    /// The bytes of the first parameter (empty for a literal pattern) when `path` matches. A parameter is not empty and
    /// contains neither `/` nor, except in a host, `:`.
    func match(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard hasParameter else {
            guard path.count == prefix.count, Self.has(prefix, path, path.startIndex) else { return nil }
            return path.prefix(0)
        }
        guard path.count > prefix.count + suffix.count, Self.has(prefix, path, path.startIndex) else {
            return nil
        }
        if hasSecond { return firstOfTwo(in: path) }
        let end = path.endIndex - suffix.count
        guard Self.has(suffix, path, end) else { return nil }
        let middle = path[path.startIndex + prefix.count..<end]
        return (isHost ? isHost(middle) : Self.isParameter(middle)) ? middle : nil
    }

    /// Whether `bytes` are at `place` in a path that is long enough. Not generic: it runs for each route and request.
    private static func has(_ bytes: [UInt8], _ path: ArraySlice<UInt8>, _ place: Int) -> Bool {
        for index in bytes.indices where path[place + index] != bytes[index] { return false }
        return true
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

    /// The bytes of the second parameter of a matching path; nil when the pattern has none.
    func second(in path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard hasSecond, let first = firstOfTwo(in: path) else { return nil }
        return path[first.endIndex...].dropFirst(suffix.count).dropLast(end.count)
    }

    /// Whether the part after the last `:` is a port or part of an address rather than a command such as `reset`.
    private func isHost(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty, isOrigin || !bytes.contains(0x2F) else { return false }
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

/// The paths that strangers may reach, on the public listener as on the other: one who knows an address there, or signs
/// what it is sent, needs no token.
enum PublicPaths {
    private static let places = ["/hooks/", "/callbacks/", "/ping/"].map { Array($0.utf8) }

    /// Whether a route is one of them.
    static func contain(_ pattern: RoutePattern) -> Bool {
        let path = pattern.text.utf8
        return path.elementsEqual("/healthz".utf8) || places.contains { path.starts(with: $0) }
    }
}
