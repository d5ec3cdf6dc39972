import CCurl

/// The versions of libcurl, and of the libraries that it uses, with which the program runs.
package enum LibcurlVersion {
    /// Such as `8.5.0`.
    package static let text = parts["libcurl"] ?? "8"

    /// The versions by name, such as `OpenSSL` and `zlib`.
    package static let parts: [String: String] = {
        // "libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 … libpsl/0.21.2 (+libidn2/2.3.3)"
        guard let text = unsafe curl_version() else { return [:] }
        let words = unsafe String(cString: text).split(separator: " ")
        let pairs = words.map { $0.split(separator: "/", maxSplits: 1).map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }()
}
