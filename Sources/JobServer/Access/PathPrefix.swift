import HTTPMessage

/// The part of the path before that of the API at which clients reach the server, such as `/jobs`.
struct PathPrefix: Sendable, Hashable {
    /// Without a slash at the end; empty when there is none.
    let text: String
    private let bytes: [UInt8]

    init() {
        text = ""
        bytes = []
    }

    /// Reads a prefix, with or without a slash at the end. Nil when it is no path, or longer than 200 bytes.
    init?(_ written: String) {
        var bytes = Array(written.utf8)
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.count <= 200, bytes.first == UInt8(ascii: "/"), !text.contains("//"),
            let target = RequestTarget(text), target.queryBytes == nil, target.form == .origin
        else { return nil }
        self.text = text
        self.bytes = bytes
    }

    /// A path without the prefix; one that does not begin with it is left as it is.
    func stripped(from path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !bytes.isEmpty, path.count > bytes.count, path.starts(with: bytes),
            path[path.startIndex + bytes.count] == UInt8(ascii: "/")
        else { return path }
        return path.dropFirst(bytes.count)
    }
}
