/// One option of curl.
struct CurlFlag: Sendable {
    /// The translation of an option.
    enum Meaning: Sendable {
        case method, url, urlQuery
        case data, dataRaw, dataBinary, dataEncoded, json
        case form, formString
        case header, userAgent, referer, cookie
        case user, bearer
        case get, head
        case location, locationTrusted, redirectsMax
        case compressed, http1, http2
        case maxTime, connectTimeout
        case retry, retryDelay, retryMaxTime, retryAllErrors
        case proxy, proxyUser, noProxy
        case tlsMinimum1_2, tlsMinimum1_3
        case output, remoteName
        case globOff, pathAsIs
        /// No effect; with the reason, unless it is obvious.
        case noEffect(String?)
        /// Not supported; with a replacement.
        case refused(String)

        /// Whether it gives the call a content.
        var isContent: Bool {
            switch self {
            case .data, .dataRaw, .dataBinary, .dataEncoded, .json, .form, .formString: true
            default: false
            }
        }
    }

    /// The short name.
    var letter: Character?
    /// The long name.
    var name: String
    /// Whether a value follows.
    var takesValue: Bool
    var meaning: Meaning

    private init(_ letter: Character?, _ name: String, _ takesValue: Bool, _ meaning: Meaning) {
        self.letter = letter
        self.name = name
        self.takesValue = takesValue
        self.meaning = meaning
    }

    /// The option of a letter.
    static func lettered(_ letter: Character) -> CurlFlag? { byLetter[letter] }

    /// The option with a long name, optionally negated by `--no-`.
    static func named(_ name: String) -> CurlFlag? {
        if let flag = byName[name] { return flag }
        guard name.hasPrefix("no-"), let flag = byName[String(name.dropFirst(3))], !flag.takesValue else {
            return nil
        }
        return CurlFlag(nil, name, false, .noEffect(nil))
    }

    /// The names of all supported options.
    static let names = all.filter { if case .refused = $0.meaning { false } else { true } }.map(\.name)

    private static let byLetter = Dictionary(
        all.compactMap { flag in flag.letter.map { ($0, flag) } }, uniquingKeysWith: { first, _ in first })
    private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    private static let all = calling + answering + silent + foreign + refused

    private static let calling: [CurlFlag] = [
        CurlFlag("X", "request", true, .method), CurlFlag(nil, "url", true, .url),
        CurlFlag(nil, "url-query", true, .urlQuery),
        CurlFlag("d", "data", true, .data), CurlFlag(nil, "data-ascii", true, .data),
        CurlFlag(nil, "data-raw", true, .dataRaw), CurlFlag(nil, "data-binary", true, .dataBinary),
        CurlFlag(nil, "data-urlencode", true, .dataEncoded), CurlFlag(nil, "json", true, .json),
        CurlFlag("F", "form", true, .form), CurlFlag(nil, "form-string", true, .formString),
        CurlFlag("H", "header", true, .header), CurlFlag("A", "user-agent", true, .userAgent),
        CurlFlag("e", "referer", true, .referer), CurlFlag("b", "cookie", true, .cookie),
        CurlFlag("u", "user", true, .user), CurlFlag(nil, "oauth2-bearer", true, .bearer),
        CurlFlag("G", "get", false, .get), CurlFlag("I", "head", false, .head),
        CurlFlag("g", "globoff", false, .globOff), CurlFlag(nil, "path-as-is", false, .pathAsIs),
    ]

    private static let answering: [CurlFlag] = [
        CurlFlag("L", "location", false, .location),
        CurlFlag(nil, "location-trusted", false, .locationTrusted),
        CurlFlag(nil, "max-redirs", true, .redirectsMax), CurlFlag(nil, "compressed", false, .compressed),
        CurlFlag(nil, "http1.1", false, .http1), CurlFlag(nil, "http2", false, .http2),
        CurlFlag(nil, "http2-prior-knowledge", false, .http2),
        CurlFlag("m", "max-time", true, .maxTime), CurlFlag(nil, "connect-timeout", true, .connectTimeout),
        CurlFlag(nil, "retry", true, .retry), CurlFlag(nil, "retry-delay", true, .retryDelay),
        CurlFlag(nil, "retry-max-time", true, .retryMaxTime),
        CurlFlag(nil, "retry-all-errors", false, .retryAllErrors),
        CurlFlag("x", "proxy", true, .proxy), CurlFlag("U", "proxy-user", true, .proxyUser),
        CurlFlag(nil, "noproxy", true, .noProxy),
        CurlFlag("1", "tlsv1", false, .noEffect("TLS 1.2 is the oldest version spoken")),
        CurlFlag(nil, "tlsv1.0", false, .noEffect("TLS 1.2 is the oldest version spoken")),
        CurlFlag(nil, "tlsv1.1", false, .noEffect("TLS 1.2 is the oldest version spoken")),
        CurlFlag(nil, "tlsv1.2", false, .tlsMinimum1_2), CurlFlag(nil, "tlsv1.3", false, .tlsMinimum1_3),
        CurlFlag("o", "output", true, .output), CurlFlag("O", "remote-name", false, .remoteName),
    ]

    private static let silent: [CurlFlag] = {
        let shown = "the result is read from the server, nothing is written to a terminal"
        let failing = "a status from 400 on is a failure unless expect.status lists it"
        func none(_ letter: Character?, _ name: String, _ takesValue: Bool = false, _ why: String? = nil)
            -> CurlFlag
        {
            CurlFlag(letter, name, takesValue, .noEffect(why))
        }
        return [
            none("s", "silent"), none("S", "show-error"), none("v", "verbose"), none("#", "progress-bar"),
            none(nil, "no-progress-meter"), none("N", "no-buffer"), none("q", "disable"),
            none(nil, "styled-output"), none("i", "include", false, shown),
            none("w", "write-out", true, shown), none("D", "dump-header", true, shown),
            none(nil, "stderr", true, shown), none(nil, "trace", true, shown),
            none(nil, "trace-ascii", true, shown), none(nil, "trace-time", false, shown),
            none("f", "fail", false, failing), none(nil, "fail-with-body", false, failing),
            none(nil, "fail-early", false, failing), none(nil, "basic"), none(nil, "create-dirs"),
            none(nil, "output-dir", true, "files have no folders"), none("J", "remote-header-name"),
            none(nil, "retry-connrefused", false, "a refused connection is tried again anyway"),
            none(nil, "keepalive-time", true), none(nil, "no-keepalive"), none(nil, "tcp-nodelay"),
            none(nil, "no-alpn"), none(nil, "expect100-timeout", true),
            none(nil, "proto", true, "only http and https are called"),
            none(nil, "proto-default", true, "only http and https are called"),
            none(nil, "proto-redir", true, "only http and https are called"),
            none("R", "remote-time"), none("B", "use-ascii"), none("j", "junk-session-cookies"),
            none(nil, "ssl-no-revoke"), none(nil, "ssl-revoke-best-effort"), none(nil, "ssl"),
            none(nil, "ssl-reqd"), none(nil, "sessionid"), none(nil, "alpn"), none(nil, "npn"),
            none(nil, "keepalive"), none(nil, "buffer"), none(nil, "progress-meter"), none(nil, "clobber"),
            none(nil, "remove-on-error"), none(nil, "remote-name-all"), none(nil, "xattr"),
            none(nil, "tcp-fastopen"), none(nil, "false-start"), none(nil, "suppress-connect-headers"),
            none(nil, "disallow-username-in-url"), none(nil, "compressed-ssh"),
            none(nil, "happy-eyeballs-timeout-ms", true), none(nil, "parallel-max", true),
            none(nil, "parallel-immediate"), none(nil, "libcurl", true, shown),
            none(nil, "socks5-basic"), none(nil, "proxy-basic"),
        ]
    }()

    /// Options for other things than calls of HTTP, and for what the server decides.
    private static let foreign: [CurlFlag] = {
        let protocols = "Only http and https URLs are called."
        let about = "It makes no call."
        let operators = "The operator of the server decides about it."
        let identity = "Certificates and keys belong to request.tls or to a connection."
        let proxy = "A proxy has a URL (-x), a name and a password (-U)."
        let groups: [(String, [(Character?, String, Bool)])] = [
            (
                protocols,
                [
                    ("a", "append", false), ("l", "list-only", false), ("P", "ftp-port", true),
                    ("Q", "quote", true), ("t", "telnet-option", true), (nil, "crlf", false),
                    (nil, "mail-from", true), (nil, "mail-rcpt", true), (nil, "mail-auth", true),
                    (nil, "ftp-create-dirs", false), (nil, "ftp-method", true), (nil, "ftp-pasv", false),
                    (nil, "ftp-ssl", false), (nil, "ftp-ssl-reqd", false), (nil, "disable-epsv", false),
                    (nil, "disable-eprt", false), (nil, "krb", true), (nil, "pubkey", true),
                    (nil, "hostpubmd5", true), (nil, "hostpubsha256", true), (nil, "tftp-blksize", true),
                    (nil, "login-options", true), (nil, "sasl-authzid", true),
                ]
            ),
            (about, [("h", "help", false), ("M", "manual", false), ("V", "version", false)]),
            (
                operators,
                [
                    (nil, "local-port", true), (nil, "dns-interface", true), (nil, "dns-ipv4-addr", true),
                    (nil, "dns-ipv6-addr", true), (nil, "haproxy-protocol", false), (nil, "alt-svc", true),
                    (nil, "hsts", true), (nil, "tls-max", true), (nil, "curves", true),
                    (nil, "tls13-ciphers", true), (nil, "cert-status", false), ("2", "sslv2", false),
                    ("3", "sslv3", false),
                ]
            ),
            (identity, [(nil, "crlfile", true), (nil, "engine", true)]),
            (
                proxy,
                [
                    ("p", "proxytunnel", false), (nil, "proxy-header", true), (nil, "proxy-insecure", false),
                    (nil, "proxy-cacert", true), (nil, "proxy-cert", true), (nil, "proxy-digest", false),
                    (nil, "proxy-ntlm", false), (nil, "proxy-anyauth", false),
                    (nil, "proxy-negotiate", false), (nil, "proxy1.0", true),
                ]
            ),
            ("Use \"rate\" of a queue.", [(nil, "rate", true)]),
            ("Leave it out.", [(nil, "tr-encoding", false), (nil, "raw", false), (nil, "ntlm-wb", false)]),
            ("Lengths are always checked.", [(nil, "ignore-content-length", false)]),
            ("Quotes in names are sent as %22.", [(nil, "form-escape", false)]),
            ("Give the credentials with -u.", [(nil, "netrc-optional", false)]),
        ]
        return groups.flatMap { remedy, options in
            options.map { CurlFlag($0.0, $0.1, $0.2, .refused(remedy)) }
        }
    }()

    private static let refused: [CurlFlag] = {
        let file = "The server reads no files of yours."
        let identity = "Certificates and keys belong to request.tls or to a connection."
        let name = "Ask the operator to let the name resolve."
        let scheme = "Use basic (-u), a bearer token (--oauth2-bearer) or a header (-H)."
        let parts: [(Character?, String, Bool, String)] = [
            (
                "k", "insecure", false,
                "Certificates are always checked; name the authority that is to be trusted."
            ),
            ("T", "upload-file", true, "\(file) Send the content with --data-binary and -X PUT."),
            ("K", "config", true, "\(file) Write its options into the line."),
            ("n", "netrc", false, "\(file) Give the credentials with -u."),
            (nil, "netrc-file", true, "\(file) Give the credentials with -u."),
            ("c", "cookie-jar", true, "Use \"cookies\": true in the request of a JSON spec."),
            ("E", "cert", true, identity), (nil, "key", true, identity), (nil, "cacert", true, identity),
            (nil, "capath", true, identity), (nil, "cert-type", true, identity),
            (nil, "key-type", true, identity),
            (nil, "pass", true, identity), (nil, "pinnedpubkey", true, identity),
            (nil, "ciphers", true, identity),
            (nil, "digest", false, scheme), (nil, "ntlm", false, scheme), (nil, "negotiate", false, scheme),
            (nil, "anyauth", false, scheme), (nil, "aws-sigv4", true, "Use request.auth of a JSON spec."),
            (nil, "resolve", true, name), (nil, "connect-to", true, name), (nil, "dns-servers", true, name),
            (nil, "doh-url", true, name), (nil, "interface", true, "The operator decides about interfaces."),
            (nil, "unix-socket", true, "Only http and https URLs are called."),
            (nil, "abstract-unix-socket", true, "Only http and https URLs are called."),
            (nil, "socks5", true, "Only HTTP proxies are used."),
            (nil, "socks5-hostname", true, "Only HTTP proxies are used."),
            (nil, "socks4", true, "Only HTTP proxies are used."),
            (nil, "socks4a", true, "Only HTTP proxies are used."),
            (nil, "preproxy", true, "Only HTTP proxies are used."),
            (":", "next", false, "Write each call on a line of its own."),
            ("Z", "parallel", false, "Submit a group; its members run at the same time."),
            (nil, "limit-rate", true, "Leave it out."),
            ("Y", "speed-limit", true, "Use timeouts.stall of a JSON spec."),
            ("y", "speed-time", true, "Use timeouts.stall of a JSON spec."),
            ("z", "time-cond", true, "Use \"conditional\": true in the request of a JSON spec."),
            (nil, "etag-compare", true, "Use \"conditional\": true in the request of a JSON spec."),
            (nil, "etag-save", true, "Use \"conditional\": true in the request of a JSON spec."),
            ("C", "continue-at", true, "A download continues by itself."),
            ("r", "range", true, "Give the field with -H 'Range: bytes=…'."),
            ("0", "http1.0", false, "HTTP/1.1 and HTTP/2 are spoken."),
            (nil, "http0.9", false, "HTTP/1.1 and HTTP/2 are spoken."),
            (nil, "http3", false, "HTTP/1.1 and HTTP/2 are spoken."),
            (nil, "http3-only", false, "HTTP/1.1 and HTTP/2 are spoken."),
            (nil, "request-target", true, "Write the target into the URL."),
            ("4", "ipv4", false, "Leave it out."), ("6", "ipv6", false, "Leave it out."),
            (nil, "post301", false, "Leave it out: 307 and 308 keep the method."),
            (nil, "post302", false, "Leave it out: 307 and 308 keep the method."),
            (nil, "post303", false, "Leave it out: 307 and 308 keep the method."),
            (nil, "max-filesize", true, "Answers have a separate limit."),
        ]
        return parts.map { CurlFlag($0.0, $0.1, $0.2, .refused($0.3)) }
    }()
}
