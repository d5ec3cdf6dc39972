import CCurl

/// Where a `Location` leads, seen from the URL that was asked (RFC 3986 §5), by libcurl's own URL parser.
enum RedirectTarget {
    /// The absolute URL, or nil when `location` is none or carries a user name.
    static func resolve(_ location: String, from base: String) -> String? {
        guard let url = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(url) }
        guard unsafe curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
        let flags = UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)
        guard unsafe curl_url_set(url, CURLUPART_URL, location, flags) == CURLUE_OK else { return nil }
        unsafe curl_url_set(url, CURLUPART_FRAGMENT, nil, 0)
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK, let text = unsafe text else {
            return nil
        }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
