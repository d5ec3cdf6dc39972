import CCurl

/// The version of libcurl with which the program runs.
package enum LibcurlVersion {
    /// Such as `8.5.0`.
    package static let text: String = {
        // "libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 …"
        guard let text = unsafe curl_version() else { return "8" }
        let first = unsafe String(cString: text).prefix { $0 != " " }
        return first.split(separator: "/").dropFirst().first.map(String.init) ?? "8"
    }()
}
