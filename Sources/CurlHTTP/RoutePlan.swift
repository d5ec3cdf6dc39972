import CCurl
import HTTPMessage

/// A validated route in libcurl's form. Owns the memory that libcurl refers to.
@safe
final class RoutePlan {
    let route: HTTPCallRoute
    /// Whether it is the default route of nearly all calls, for which there is nothing to check.
    let isPlain: Bool
    /// The proxy of the route, if any.
    let proxy: ProxyPlace?
    private let bypass: ProxyBypass
    private let authorities: PinnedBytes?
    /// Certificate and key together: whatever distinguishes keys distinguishes the certificates, too.
    private let identity: PinnedBytes?
    private var pins: UnsafeMutablePointer<curl_slist>?

    /// Validates a route.
    ///
    /// - Throws: `proxy.url`, `http.url` for a malformed pin, `tls.client_certificate`; nothing is sent then.
    init(_ route: HTTPCallRoute) throws(HTTPCallFailure) {
        self.route = route
        isPlain = route == HTTPCallRoute()
        proxy =
            if let proxy = route.proxy {
                try ProxyPlace(proxy, user: route.proxyUser, password: route.proxyPassword)
            } else { nil }
        bypass = ProxyBypass(route.proxyBypass)
        authorities = route.authoritiesPEM.map(PinnedBytes.init)
        guard (route.clientCertificatePEM == nil) == (route.clientKeyPEM == nil) else {
            throw .halfIdentity
        }
        identity = route.clientCertificatePEM.map {
            PinnedBytes($0 + [0x0A] + (route.clientKeyPEM ?? []) + [0x0A])
        }
        for (place, addresses) in route.pins { try pin(place, to: addresses) }
    }

    deinit { unsafe curl_slist_free_all(pins) }

    /// Whether calls to this target go through the proxy.
    func usesProxy(for target: CallTarget) -> Bool { proxy(for: target) != nil }

    /// The proxy for calls to this target, if any.
    func proxy(for target: CallTarget) -> ProxyPlace? {
        guard let proxy, !bypass.covers(target) else { return nil }
        return proxy
    }

    /// Whether the route itself allows this address.
    func opens(_ address: IPAddress) -> Bool {
        route.egressAllow.contains { $0.contains(address) }
    }

    /// Checks what is known of a target that only the proxy will resolve: an address, or a name of this machine.
    ///
    /// - Throws: `egress.blocked`.
    func check(_ target: CallTarget, _ settings: CurlSettings) throws(HTTPCallFailure) {
        guard usesProxy(for: target) else { return }
        let addresses = Self.addresses(of: target.host)
        guard let first = addresses.first else { return }
        if addresses.contains(where: { settings.allows($0, target.port) || opens($0) }) { return }
        throw .blockedBehindProxy(target, first, settings.egressWords)
    }

    private static func addresses(of host: String) -> [IPAddress] {
        if let address = IPAddress(host) { return [address.unmapped] }
        var name = host[...]
        while name.last == "." { name.removeLast() }
        guard name == "localhost" || name.hasSuffix(".localhost") else { return [] }
        return [IPAddress(v4: 0x7F00_0001), IPAddress(v6High: 0, low: 1)]
    }

    private func pin(_ place: String, to addresses: [IPAddress]) throws(HTTPCallFailure) {
        guard !addresses.isEmpty, let parts = try? URLParts("http://\(place)"), parts.explicitPort != nil,
            parts.address == nil, parts.path == "/", parts.query == nil
        else { throw .badPin(place) }
        let list = addresses.map { $0.isIPv4 ? "\($0)" : "[\($0)]" }.joined(separator: ",")
        unsafe pins = unsafe curl_slist_append(pins, "\(parts.host):\(parts.port):\(list)")
    }

    // MARK: libcurl

    /// Sets the options of a new handle that apply to all its calls.
    func apply(to transfer: CurlTransfer, authoritiesFile: String?) {
        let easy = unsafe transfer.easy
        transfer.set(CURLOPT_PROXY, "")
        // Also keeps the environment's list of exceptions out.
        transfer.set(CURLOPT_NOPROXY, proxy == nil ? "*" : "")
        if let proxy { apply(proxy, to: transfer) }
        transfer.set(CURLOPT_HTTP_VERSION, httpVersion(isSecure: true))
        transfer.set(CURLOPT_SSLVERSION, tlsVersion)
        transfer.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        if route.compression { transfer.set(CURLOPT_ACCEPT_ENCODING, ContentDecoder.accepted) }
        if let authoritiesFile, authorities == nil {
            transfer.set(CURLOPT_CAINFO, authoritiesFile)
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_CAPATH, nil)
        }
        if let authorities {
            unsafe jobserver_easy_set_blob(easy, CURLOPT_CAINFO_BLOB, authorities.start, authorities.count)
            unsafe jobserver_easy_set_pointer(easy, CURLOPT_CAPATH, nil)
        }
        if let identity {
            transfer.set(CURLOPT_SSLCERTTYPE, "PEM")
            transfer.set(CURLOPT_SSLKEYTYPE, "PEM")
            unsafe jobserver_easy_set_blob(easy, CURLOPT_SSLCERT_BLOB, identity.start, identity.count)
            unsafe jobserver_easy_set_blob(easy, CURLOPT_SSLKEY_BLOB, identity.start, identity.count)
        }
        if let pins = unsafe pins { unsafe jobserver_easy_set_pointer(easy, CURLOPT_RESOLVE, pins) }
    }

    /// Sets the options that depend on the target of a call.
    ///
    /// - Returns: whether it goes through the proxy.
    func apply(to transfer: CurlTransfer, target: CallTarget) -> Bool {
        if route.httpVersion == .http2 {
            transfer.set(CURLOPT_HTTP_VERSION, httpVersion(isSecure: target.isSecure))
        }
        guard let proxy else { return false }
        let isUsed = usesProxy(for: target)
        transfer.set(CURLOPT_PROXY, isUsed ? proxy.url : "")
        return isUsed
    }

    private func apply(_ proxy: ProxyPlace, to transfer: CurlTransfer) {
        transfer.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        transfer.set(CURLOPT_PROXY_SSLVERSION, tlsVersion)
        if let user = proxy.user {
            transfer.set(CURLOPT_PROXYAUTH, 1)
            transfer.set(CURLOPT_PROXYUSERNAME, user)
            transfer.set(CURLOPT_PROXYPASSWORD, proxy.password)
        }
        guard let authorities else { return }
        let easy = unsafe transfer.easy
        unsafe jobserver_easy_set_blob(easy, CURLOPT_PROXY_CAINFO_BLOB, authorities.start, authorities.count)
        unsafe jobserver_easy_set_pointer(easy, CURLOPT_PROXY_CAPATH, nil)
    }

    private var tlsVersion: Int {
        route.tlsMinimum == .v1_3 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2
    }

    private func httpVersion(isSecure: Bool) -> Int {
        switch route.httpVersion {
        case .auto: CURL_HTTP_VERSION_2TLS
        case .http1: CURL_HTTP_VERSION_1_1
        case .http2: isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
    }
}
