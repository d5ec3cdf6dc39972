import CCurl

/// The version of libcurl that the program runs with.
package enum LibcurlVersion {
    /// Such as `8.5.0`.
    package static let text: String = {
        guard let info = unsafe curl_version_info(CURLVERSION_FIRST),
            let version = unsafe info.pointee.version
        else { return "8" }
        return unsafe String(cString: version)
    }()
}
