/// The target of a request (RFC 9112 §3.2): a slice of the request head and the positions of its parts.
///
/// A value of this type has been validated: visible ASCII, no fragment, well-formed percent-encoding, no encoded NUL,
/// no `.` or `..` segments (encoded or not), and encoded UTF-8. So decoding its parts cannot fail.
package struct RequestTarget: Sendable {
    /// The form of a target.
    package enum Form: Sendable, Hashable {
        /// `/path?query`.
        case origin
        /// `http://host/path?query`, as sent to proxies and accepted by every server.
        case absolute
        /// `*`, only with OPTIONS.
        case asterisk
    }

    /// The target as received.
    package let bytes: ArraySlice<UInt8>
    /// The form of the target (RFC 9112 §3.2).
    package let form: Form
    /// `host` or `host:port` of the absolute form, as received; nil otherwise.
    package let authority: String?
    private let pathStart: Int
    private let pathEnd: Int

    init(bytes: ArraySlice<UInt8>, layout: RequestTargetLayout) {
        self.bytes = bytes
        form = layout.form
        pathStart = bytes.startIndex + layout.pathStart
        pathEnd = bytes.startIndex + layout.pathEnd
        authority =
            layout.form == .absolute
            ? String(
                decoding: bytes[(bytes.startIndex + layout.authorityStart)..<pathStart], as: UTF8.self) : nil
    }

    /// Parses a target; nil when it would be refused in a request.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let layout = try? RequestTargetLayout.read(bytes.span, from: 0, to: bytes.count) else {
            return nil
        }
        self.init(bytes: bytes[...], layout: layout)
    }

    /// The path as received, still encoded, without the query. Empty for `*` and for `http://host`.
    package var pathBytes: ArraySlice<UInt8> { bytes[pathStart..<pathEnd] }

    /// The query as received, still encoded, without the `?`; nil when there is no `?`.
    package var queryBytes: ArraySlice<UInt8>? {
        pathEnd < bytes.endIndex ? bytes[(pathEnd + 1)...] : nil
    }

    /// The path as text, still encoded: `/v1/jobs/a%20b`. `*` for the asterisk form, otherwise at least `/`.
    package var path: String {
        if form == .asterisk { return "*" }
        return pathStart == pathEnd ? "/" : String(decoding: pathBytes, as: UTF8.self)
    }

    /// The decoded segments of the path: `/v1/a%20b` gives `v1`, `a b`; `/` gives none; a final `/` gives an empty last
    /// segment. A decoded segment may contain `/` when that was sent as `%2F`.
    package var segments: [String] {
        let path = pathBytes
        guard path.count > 1 else { return [] }
        return path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
            .map { PercentCoding.decoded($0, plusIsSpace: false) }
    }

    /// The decoded pairs of the query, in order, split at `&` and at the first `=`; `+` means a space. A pair without
    /// `=` has an empty value; empty pairs are omitted.
    package var query: [(name: String, value: String)] {
        guard let query = queryBytes else { return [] }
        return query.split(separator: 0x26).map { pair in
            let nameEnd = pair.firstIndex(of: 0x3D) ?? pair.endIndex
            let value = nameEnd < pair.endIndex ? pair[(nameEnd + 1)...] : []
            return (
                PercentCoding.decoded(pair[..<nameEnd], plusIsSpace: true),
                PercentCoding.decoded(value, plusIsSpace: true)
            )
        }
    }
}

extension RequestTarget: Hashable, CustomStringConvertible {
    package static func == (left: RequestTarget, right: RequestTarget) -> Bool { left.bytes == right.bytes }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The target as received.
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}
