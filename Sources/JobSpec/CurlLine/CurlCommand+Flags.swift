internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The effect of each option.
extension CurlCommand {
    private static let readsNoFiles = "The server reads no files of yours; write the content itself."

    mutating func apply(_ flag: CurlFlag, _ name: String, _ value: ShellWord, at word: ShellWord) {
        switch flag.meaning {
        case .method: method = value.text
        case .url: urls.append(value)
        case .urlQuery: if let text = encoded(value, name) { queries.append(text) }
        case .data, .dataBinary: add(value, name, readsFiles: true)
        case .dataRaw: add(value, name, readsFiles: false)
        case .dataEncoded: if let text = encoded(value, name) { append(Array(text.utf8), separator: "&") }
        case .json:
            content.isJSON = true
            guard !refusesFile(value, name) else { return }
            append(value.bytes, separator: "")
        case .form: readPart(value, name)
        case .formString: readPlainPart(value, name)
        case .get: content.goesToURL = true
        case .head: isHead = true
        case .globOff: globs = false
        case .pathAsIs: keepsDots = true
        case .output: file = value.text
        case .remoteName: file = file ?? ""
        case .noEffect(let reason):
            remark(word, "\(name) has no effect\(reason.map { ": \($0)" } ?? "").")
        case .refused(let remedy): refuse(word, "\(name) is not supported. \(remedy)")
        default: applyToCaller(flag, name, value, at: word)
        }
    }

    private mutating func applyToCaller(
        _ flag: CurlFlag, _ name: String, _ value: ShellWord, at word: ShellWord
    ) {
        switch flag.meaning {
        case .header: readHeader(value)
        case .userAgent: setHeader("User-Agent", value)
        case .referer: readReferer(value)
        case .cookie:
            guard value.bytes.contains(0x3D) else {
                return refuse(value, "\(name) names a file of cookies. \(Self.readsNoFiles)")
            }
            setHeader("Cookie", value)
        case .user:
            guard value.bytes.contains(0x3A) else {
                return refuse(
                    value, "\(name) has no password; the server cannot prompt for it. Write name:password.")
            }
            user = value.text
        case .bearer: bearer = value.text
        default: applyToWay(flag, name, value)
        }
    }

    private mutating func applyToWay(_ flag: CurlFlag, _ name: String, _ value: ShellWord) {
        switch flag.meaning {
        case .location: way.follows = true
        case .locationTrusted: (way.follows, way.keepsAuth) = (true, true)
        case .redirectsMax: way.redirectsMax = number(value, name, least: -1)
        case .compressed: way.isCompressed = true
        case .http1: way.version = "1.1"
        case .http2: way.version = "2"
        case .tlsMinimum1_2: way.tlsMinimum = "1.2"
        case .tlsMinimum1_3: way.tlsMinimum = "1.3"
        case .proxy: way.proxy = value.text
        case .proxyUser: way.proxyUser = value.text
        case .noProxy: way.noProxy = value.text
        case .maxTime: patience.attempt = seconds(value, name)
        case .connectTimeout: patience.connect = seconds(value, name)
        case .retry: patience.retries = number(value, name, least: 0)
        case .retryDelay: patience.retryDelay = seconds(value, name)
        case .retryMaxTime: patience.total = seconds(value, name)
        case .retryAllErrors: patience.repeatsAll = true
        default: break
        }
    }

    // MARK: Content

    private mutating func add(_ value: ShellWord, _ name: String, readsFiles: Bool) {
        if readsFiles && refusesFile(value, name) { return }
        append(value.bytes, separator: "&")
    }

    private mutating func append(_ bytes: [UInt8], separator: String) {
        content.data = content.data.map { $0 + Array(separator.utf8) + bytes } ?? bytes
    }

    private mutating func refusesFile(_ value: ShellWord, _ name: String) -> Bool {
        guard value.bytes.first == UInt8(ascii: "@") else { return false }
        let instead = name.contains("json") ? "" : ", with --data-raw if it begins with \"@\""
        refuse(
            value,
            "\(name) \(String(quotable: value.text)) names a file. \(Self.readsNoFiles.dropLast())\(instead)."
        )
        return true
    }

    /// `content`, `=content` and `name=content` of `--data-urlencode`.
    private mutating func encoded(_ value: ShellWord, _ name: String) -> String? {
        let bytes = value.bytes
        guard let equals = bytes.firstIndex(of: 0x3D) else {
            guard !bytes.contains(UInt8(ascii: "@")) else {
                refuse(
                    value, "\(name) \(String(quotable: value.text)) names a file. \(Self.readsNoFiles)")
                return nil
            }
            return Self.percentEncoded(bytes[...])
        }
        let content = Self.percentEncoded(bytes[(equals + 1)...])
        return equals == 0 ? content : String(decoding: bytes[..<equals], as: UTF8.self) + "=" + content
    }

    /// Form encoding of any bytes.
    private static func percentEncoded(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            let isPlain = (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "-._~".utf8.contains(byte)
            if isPlain {
                encoded.append(byte)
            } else if byte == 0x20 {
                encoded.append(0x2B)
            } else {
                encoded += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    // MARK: Fields

    private mutating func setHeader(_ name: String, _ value: ShellWord) {
        if value.bytes.isEmpty {
            withoutHeaders.insert(name.lowercased())
        } else {
            headers.append((name, value.text))
        }
    }

    /// `Name: value`, `Name;` for an empty value, `Name:` for none.
    private mutating func readHeader(_ value: ShellWord) {
        let text = value.text
        if text.hasPrefix("@") {
            return refuse(value, "-H @… names a file of headers. \(Self.readsNoFiles)")
        }
        guard let colon = text.utf8.firstIndex(of: 0x3A) else {
            if text.hasSuffix(";"), FieldText.isName(String(text.dropLast())) {
                headers.append((String(text.dropLast()), ""))
            } else {
                refuse(value, "\"\(String(quotable: text))\" is no header; write 'Name: value'.")
            }
            return
        }
        let name = String(text[..<colon])
        let content = text[text.utf8.index(after: colon)...].trimmingBlanks
        if content.isEmpty {
            withoutHeaders.insert(name.lowercased())
        } else if name.lowercased() == "host" {
            hosts.append(value)
        } else if Self.ours.contains(name.lowercased()) {
            remark(value, "\(name) has no effect: the server sets it itself.")
        } else if FieldReader.isForbidden(name) {
            refuse(value, "\(name) is not supported: the server sets it itself. Leave it out.")
        } else {
            headers.append((name, content))
        }
    }

    /// Fields that browsers send and that the server sets or omits by itself.
    private static let ours: Set<String> = [
        "connection", "keep-alive", "te", "content-length", "proxy-connection",
    ]

    /// Checks that a `Host` field repeats the host of the URL.
    /// - Parameter url: the URL without credentials.
    mutating func checkHosts(_ url: String) {
        let url = try? URLParts(url)
        for word in hosts {
            let value = word.text.drop { $0 != ":" }.dropFirst().trimmingBlanks.lowercased()
            if let url, value == url.host || value == "\(url.host):\(url.port)" {
                remark(word, "Host has no effect: the server sets it itself.")
            } else {
                refuse(
                    word,
                    "Host is not supported: it is always that of the URL. Write \(String(quotable: value)) there."
                )
            }
        }
    }

    private mutating func readReferer(_ value: ShellWord) {
        let text = value.text
        if text.hasSuffix(";auto") {
            return refuse(value, "-e …;auto is not supported: redirects do not change the field.")
        }
        setHeader("Referer", value)
    }

    /// The URL with the scheme that curl assumes when it is missing.
    static func withScheme(_ text: String) -> String { text.contains("://") ? text : "http://" + text }

    // MARK: Numbers

    private mutating func number(_ value: ShellWord, _ name: String, least: Int) -> Int? {
        guard let number = Int(value.text), number >= least else {
            refuse(value, "\(name) needs a whole number from \(least) on.")
            return nil
        }
        return number
    }

    /// Seconds, possibly fractional; nil for 0, which means no limit.
    private mutating func seconds(_ value: ShellWord, _ name: String) -> Duration? {
        guard let seconds = Double(value.text), seconds >= 0, seconds <= 31_622_400 else {
            refuse(value, "\(name) needs a number of seconds.")
            return nil
        }
        let milliseconds = Int((seconds * 1_000).rounded(.up))
        if milliseconds == 0 {
            remark(value, "\(name) 0 has no effect: there is always a limit.")
            return nil
        }
        return .milliseconds(milliseconds)
    }
}

extension Substring {
    /// Without blanks at both ends.
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
