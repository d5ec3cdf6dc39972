internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The effect of each option.
extension CurlCommand {
    private static let readsNoFiles = "The server reads no files of yours; write the content itself."

    mutating func apply(_ flag: CurlFlag, _ name: String, _ value: ShellWord, at word: ShellWord) {
        switch flag.meaning {
        case .method: method = text(of: value, name) ?? method
        case .url: urls.append(value)
        case .urlQuery: addQuery(value, name)
        case .data, .dataBinary: add(value, name, readsFiles: true)
        case .dataRaw: add(value, name, readsFiles: false)
        case .dataEncoded: if let bytes = encoded(value, name) { append(bytes, of: value, separator: "&") }
        case .json:
            content.isJSON = true
            guard !refusesFile(value, name) else { return }
            append(value.bytes, of: value, separator: "")
        case .form: readPart(value, name)
        case .formString: readPlainPart(value, name)
        case .get: content.goesToURL = true
        case .head: isHead = true
        case .globOff: globs = false
        case .pathAsIs: keepsDots = true
        case .output: file = text(of: value, name) ?? file
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
        case .header: readHeader(value, name)
        case .userAgent: own.userAgent = value
        case .referer: readReferer(value)
        case .cookie: readCookie(value, name)
        case .user:
            guard value.bytes.contains(0x3A) else {
                return refuse(
                    value, "\(name) has no password; the server cannot prompt for it. Write name:password.")
            }
            user = text(of: value, name) ?? user
        case .bearer: bearer = text(of: value, name) ?? bearer
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
        case .proxy: way.proxy = text(of: value, name) ?? way.proxy
        case .proxyUser: way.proxyUser = text(of: value, name) ?? way.proxyUser
        case .noProxy: way.noProxy = text(of: value, name) ?? way.noProxy
        case .maxTime: patience.attempt = seconds(value, name)
        case .connectTimeout: patience.connect = seconds(value, name)
        case .retry: readRetries(value, name)
        case .retryDelay: patience.retryDelay = seconds(value, name)
        case .retryMaxTime: patience.total = seconds(value, name)
        case .retryAllErrors: patience.repeatsAll = true
        default: break
        }
    }

    private mutating func readRetries(_ value: ShellWord, _ name: String) {
        guard let count = number(value, name, least: 0) else { return }
        let most = 99
        if count > most { remark(value, "\(name) counts up to \(most), the limit of jobs.") }
        patience.retries = min(count, most)
    }

    // MARK: Content

    private mutating func add(_ value: ShellWord, _ name: String, readsFiles: Bool) {
        if readsFiles && refusesFile(value, name) { return }
        append(value.bytes, of: value, separator: "&")
    }

    private mutating func append(_ bytes: [UInt8], of value: ShellWord, separator: String) {
        if content.binary == nil, String(validating: bytes, as: UTF8.self) == nil { content.binary = value }
        guard content.data != nil else { return content.data = bytes }
        content.data?.append(contentsOf: separator.utf8)
        content.data?.append(contentsOf: bytes)
    }

    private mutating func refusesFile(_ value: ShellWord, _ name: String) -> Bool {
        guard value.bytes.first == UInt8(ascii: "@") else { return false }
        let instead = name.contains("json") ? "" : ", with --data-raw if it begins with \"@\""
        refuse(value, "\(name) \(value.shown) names a file. \(Self.readsNoFiles.dropLast())\(instead).")
        return true
    }

    /// `+` takes the rest as it is.
    private mutating func addQuery(_ value: ShellWord, _ name: String) {
        let isPlain = value.bytes.first == UInt8(ascii: "+")
        guard let query = isPlain ? Array(value.bytes.dropFirst()) : encoded(value, name),
            text(of: query[...], in: value, name) != nil
        else { return }
        queries.append(query)
        queryWord = value
    }

    /// `content`, `=content` and `name=content` of `--data-urlencode`.
    private mutating func encoded(_ value: ShellWord, _ name: String) -> [UInt8]? {
        let bytes = value.bytes
        guard let equals = bytes.firstIndex(of: 0x3D) else {
            guard !bytes.contains(UInt8(ascii: "@")) else {
                refuse(value, "\(name) \(value.shown) names a file. \(Self.readsNoFiles)")
                return nil
            }
            return CurlURL.formEncoded(bytes[...])
        }
        let content = CurlURL.formEncoded(bytes[(equals + 1)...])
        return equals == 0 ? content : bytes[...equals] + content
    }

    // MARK: Fields

    /// `;auto` asks for the field in redirects.
    private mutating func readReferer(_ value: ShellWord) {
        own.referer = value
        own.refererOfRedirects = nil
        if let auto = value.bytes.position(of: ";auto") {
            own.referer?.bytes.removeSubrange(auto...)
            own.refererOfRedirects = value
        }
    }

    private mutating func readCookie(_ value: ShellWord, _ name: String) {
        if value.bytes.isEmpty {
            own.cookiesOfRedirects = value
        } else if value.bytes.first != UInt8(ascii: "@"), value.bytes.contains(0x3D) {
            own.cookies.append(value)
        } else {
            refuse(value, "\(name) names a file of cookies. \(Self.readsNoFiles)")
        }
    }

    /// Adds the fields of `-A`, `-e` and `-b`, unless `-H` has or removes them. Several `-b` are one field.
    mutating func addOwnFields() {
        let cookie = own.cookies.first.map { first in
            ShellWord(bytes: Array(own.cookies.map(\.bytes).joined(separator: ";".utf8)), place: first.place)
        }
        let fields = [
            ("User-Agent", "-A", own.userAgent), ("Referer", "-e", own.referer), ("Cookie", "-b", cookie),
        ]
        for (field, name, value) in fields {
            let key = field.lowercased()
            guard let value, !has(key), !withoutHeaders.contains(key) else { continue }
            if value.bytes.isEmpty {
                withoutHeaders.insert(key)
            } else if let text = text(of: value, name) {
                addHeader(field, text, value)
            }
        }
        if let value = own.refererOfRedirects, way.follows {
            refuse(
                value,
                "-e …;auto is not supported: redirects do not change the field. Write it without \";auto\".")
        }
        if let value = own.cookiesOfRedirects {
            let detail = "-b '' keeps the cookies of redirects"
            if way.follows {
                refuse(
                    value, "\(detail), which a call does not. Make one call of each with \"cookies\": true.")
            } else {
                remark(value, "\(detail), and has no effect without -L.")
            }
        }
    }

    private mutating func addHeader(_ field: String, _ text: String, _ value: ShellWord) {
        let most = SpecLimits.standard.headersMax
        if headers.count == most {
            refuse(value, "The call has more than \(most) fields. Send what does not fit as content.")
        }
        if headers.count <= most { headers.append((field, text)) }
    }

    /// `Name: value`, `Name;` for an empty value, `Name:` for none.
    private mutating func readHeader(_ value: ShellWord, _ option: String) {
        let bytes = value.bytes
        if bytes.first == UInt8(ascii: "@") {
            return refuse(value, "-H @… names a file of headers. \(Self.readsNoFiles)")
        }
        guard let colon = bytes.firstIndex(of: 0x3A) else {
            if bytes.last == 0x3B, let name = Self.fieldName(bytes.dropLast()) {
                addHeader(name, "", value)
            } else {
                refuse(value, "\"\(value.shown)\" is no header; write 'Name: value'.")
            }
            return
        }
        guard let name = Self.fieldName(bytes[..<colon]) else {
            return refuse(
                value, "\"\(value.shown)\" is no header: its name has letters, digits and -, without spaces.")
        }
        let content = bytes[(colon + 1)...].trimmingBlanks
        if content.isEmpty {
            withoutHeaders.insert(name.lowercased())
        } else if name.lowercased() == "host" {
            hosts.append(value)
        } else if Self.ours.contains(name.lowercased()) {
            remark(value, "\(name) has no effect: the server sets it itself.")
        } else if FieldReader.isForbidden(name) {
            refuse(value, "\(name) is not supported: the server sets it itself. Leave it out.")
        } else if let text = text(of: content, in: value, "\(option) '\(name): …'") {
            addHeader(name, text, value)
        }
    }

    private static func fieldName(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let name = String(validating: bytes, as: UTF8.self), FieldText.isName(name) else { return nil }
        return name
    }

    /// Fields that browsers send and that the server sets or omits by itself.
    private static let ours: Set<String> = [
        "connection", "keep-alive", "te", "content-length", "proxy-connection",
    ]

    /// Checks that a `Host` field repeats the host of the URL.
    /// - Parameter url: the URL without credentials.
    mutating func checkHosts(_ url: String) {
        let url = hosts.isEmpty ? nil : try? URLParts(url)
        for word in hosts {
            let bytes = word.bytes.drop { $0 != 0x3A }.dropFirst().trimmingBlanks
            let value = String(decoding: bytes, as: UTF8.self).lowercased()
            if let url,
                value.utf8.elementsEqual(url.host.utf8)
                    || value.utf8.elementsEqual("\(url.host):\(url.port)".utf8)
            {
                remark(word, "Host has no effect: the server sets it itself.")
            } else {
                refuse(
                    word,
                    "Host cannot be set: it comes from the URL. Write \(String(quotable: value)) there."
                )
            }
        }
    }

    // MARK: Numbers

    private mutating func number(_ value: ShellWord, _ name: String, least: Int) -> Int? {
        guard let number = value.text.flatMap({ Int($0) }), number >= least else {
            refuse(value, "\(name) needs a whole number from \(least) on.")
            return nil
        }
        return number
    }

    /// Seconds, possibly fractional; nil for 0, which means no limit.
    private mutating func seconds(_ value: ShellWord, _ name: String) -> Duration? {
        guard let seconds = value.text.flatMap({ Double($0) }), seconds >= 0, seconds <= 31_622_400 else {
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

extension ArraySlice<UInt8> {
    /// Without blanks at both ends.
    fileprivate var trimmingBlanks: ArraySlice {
        let begin = firstIndex { $0 != 0x20 && $0 != 0x09 } ?? endIndex
        let end = lastIndex { $0 != 0x20 && $0 != 0x09 }.map { $0 + 1 } ?? begin
        return self[begin..<end]
    }
}
