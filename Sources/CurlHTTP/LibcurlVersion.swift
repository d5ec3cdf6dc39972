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

    /// The parts of a request in `CURLINFO_REQUEST_SIZE`.
    enum RequestSize {
        /// The head, and short content, which leaves together with it. Before 8.7.
        case head
        /// Nothing. In 8.7 only.
        case nothing
        /// The head and the content. Since 8.8.
        case everything

        init(version: UInt32) {
            self = version < 0x080700 ? .head : version < 0x080800 ? .nothing : .everything
        }

        /// Whether content is not counted.
        /// - Parameter isLong: whether it does not leave together with the head.
        func leavesOut(content isLong: Bool) -> Bool {
            switch self {
            case .head: isLong
            case .nothing: true
            case .everything: false
            }
        }
    }

    /// The parts of a request that libcurl counts.
    static let requestSize = RequestSize(version: jobserver_version_number())

    /// The name of a version of HTTP that libcurl used; nil for one that it is not asked for.
    static func protocolName(_ version: Int) -> String? {
        switch version {
        case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
        case CURL_HTTP_VERSION_1_1: "HTTP/1.1"
        case CURL_HTTP_VERSION_2_0: "HTTP/2"
        default: nil
        }
    }
}
