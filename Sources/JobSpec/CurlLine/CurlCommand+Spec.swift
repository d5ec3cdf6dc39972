internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The operation that a command line describes.
extension CurlCommand {
    /// The maximum number of redirects of a call.
    private static let redirectsMax = 20

    /// The operation's spec. Problems are added to `problems`.
    mutating func operation() -> JSONObject {
        var operation = JSONObject()
        operation["type"] = .string(download == nil ? "network" : "download")
        operation["request"] = .object(request())
        if let download { operation["to"] = .object(download) }
        if let retry = retry() { operation["retry"] = .object(retry) }
        if let timeouts { operation["timeouts"] = .object(timeouts) }
        return operation
    }

    private var download: JSONObject? {
        guard let file, file != "/dev/null", file != "-", BuiltInKinds.names.contains(DownloadSpec.name)
        else {
            return nil
        }
        let path =
            file.isEmpty ? urls.first.flatMap { try? URLParts(Self.withScheme($0.text)) }?.path ?? "" : file
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        var object = JSONObject()
        if !name.isEmpty { object["artifact"] = .string(name) }
        return object
    }

    private mutating func request() -> JSONObject {
        var request = JSONObject()
        let (url, credentials) = splitURL()
        let method = self.method ?? impliedMethod
        if method != "GET" { request["method"] = .string(method) }
        request["url"] = .string(url)
        addContent(to: &request, method)
        if !headers.isEmpty { request["headers"] = .object(headerMembers()) }
        if let auth = auth(credentials) { request["auth"] = auth }
        let follow =
            way.follows ? way.redirectsMax.map { $0 < 0 ? Self.redirectsMax : $0 } ?? Self.redirectsMax : 0
        var redirects = JSONObject()
        redirects["follow"] = .number(JSONNumber(Int64(min(follow, Self.redirectsMax))))
        if way.keepsAuth { redirects["keep_auth"] = .bool(true) }
        request["redirects"] = way.keepsAuth ? .object(redirects) : redirects["follow"]
        var http = JSONObject()
        if let version = way.version { http["version"] = .string(version) }
        if !way.isCompressed { http["compression"] = .bool(false) }
        if !http.isEmpty { request["http"] = .object(http) }
        addWay(to: &request)
        checkHosts(url)
        noteWhatIsMissing()
        return request
    }

    /// Adds proxy and TLS settings.
    private mutating func addWay(to request: inout JSONObject) {
        if let minimum = way.tlsMinimum, minimum != "1.2" { request["tls"] = ["min": .string(minimum)] }
        if let proxy = way.proxy, !proxy.isEmpty {
            var object = JSONObject()
            object["url"] = .string(Self.withScheme(proxy))
            if let list = way.noProxy {
                let names = list.split { $0 == "," || $0 == " " }
                object["bypass"] = .array(names.map { .string(String($0)) })
            }
            if let pair = way.proxyUser?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            {
                object["username"] = .string(String(pair[0]))
                object["password"] = .string(pair.count > 1 ? String(pair[1]) : "")
            }
            request["proxy"] = .object(object)
        }
    }

    private var timeouts: JSONObject? {
        var timeouts = JSONObject()
        let clocks = [
            ("connect", patience.connect), ("attempt", patience.attempt), ("total", patience.total),
        ]
        for (name, length) in clocks {
            if let length { timeouts[name] = .string(DurationText.iso8601(length)) }
        }
        return timeouts.isEmpty ? nil : timeouts
    }

    private var impliedMethod: String {
        if isHead { return "HEAD" }
        let hasContent = content.data != nil && !content.goesToURL || !content.parts.isEmpty
        return hasContent ? "POST" : "GET"
    }

    // MARK: URL

    /// The URL with its query additions, and the credentials in it.
    private mutating func splitURL() -> (String, String?) {
        guard let word = urls.first else {
            problems.append(ShellProblem(place: place, detail: "The command has no URL."))
            return ("", nil)
        }
        for other in urls.dropFirst() {
            refuse(
                other,
                "\"\(String(quotable: other.text))\" is a second URL. Write each call on a line of its own."
            )
        }
        var text = Self.withScheme(word.text)
        let begin = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let end = text[begin...].firstIndex { "/?#".contains($0) } ?? text.endIndex
        var credentials: String?
        if let at = text[begin..<end].lastIndex(of: "@") {
            credentials = String(text[begin..<at])
            text.removeSubrange(begin...at)
        }
        if globs { checkGlobs(text, word) }
        if let hash = text.firstIndex(of: "#") { text = String(text[..<hash]) }
        if !keepsDots { text = Self.withoutDots(text) }
        var additions = queries
        if content.goesToURL, let data = content.data {
            additions.append(String(decoding: data, as: UTF8.self))
        }
        for addition in additions where !addition.isEmpty {
            text += text.contains("?") ? (text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&") : "?"
            text += addition
        }
        if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            refuse(
                word,
                "The URL has a blank or a control character, which curl refuses: write %20, or give a query with "
                    + "-G --data-urlencode.")
        }
        let escaped = text.replacing("{", with: "%7B").replacing("}", with: "%7D")
        return (escaped, credentials)
    }

    /// The URL without dot segments, which curl removes.
    private static func withoutDots(_ url: String) -> String {
        let begin = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[begin...].firstIndex(of: "?") ?? url.endIndex
        guard let slash = url[begin..<end].firstIndex(of: "/") else { return url }
        return url[..<slash] + URLReference.withoutDots(String(url[slash..<end])) + url[end...]
    }

    private mutating func checkGlobs(_ text: String, _ word: ShellWord) {
        let begin = text.firstRange(of: "://")?.upperBound ?? text.startIndex
        let isAddress = text[begin...].hasPrefix("[")
        let rest = isAddress ? text[begin...].drop { $0 != "]" }.dropFirst() : text[begin...]
        guard let glob = rest.first(where: { "{}[]".contains($0) }) else { return }
        refuse(
            word,
            "curl takes \"\(glob)\" in a URL as a pattern for several URLs. Write one line for each, or add -g if it is "
                + "meant as it is.")
    }

    // MARK: Content

    private mutating func addContent(to request: inout JSONObject, _ method: String) {
        if !content.parts.isEmpty {
            if content.data != nil {
                problems.append(ShellProblem(place: place, detail: "A call has -d or -F, not both."))
            }
            return addParts(to: &request)
        }
        guard let data = content.data, !content.goesToURL else { return }
        if isHead {
            problems.append(
                ShellProblem(place: place, detail: "A call has -I or -d, not both. For a query add -G."))
        }
        let isBare = withoutHeaders.remove("content-type") != nil
        if data.isEmpty && isBare { return }
        if !has("content-type") {
            let type = content.isJSON ? "application/json" : "application/x-www-form-urlencoded"
            if isBare {
                problems.append(
                    ShellProblem(
                        place: place, detail: "Content is always sent with a Content-Type; give it one."))
            }
            headers.append(("Content-Type", type))
        }
        if content.isJSON && !has("accept") { headers.append(("Accept", "application/json")) }
        if let json = Self.exactJSON(data), content.isJSON || type("content-type") == "application/json" {
            request["json"] = json
        } else if let text = String(validating: data, as: UTF8.self) {
            request["text"] = .string(text)
        } else {
            request["base64"] = .string(String(decoding: Base64.encode(data), as: UTF8.self))
        }
    }

    /// The value whose compact text is exactly these bytes, and which contains nothing like a binding.
    private static func exactJSON(_ data: [UInt8]) -> JSONValue? {
        guard let value = try? JSONParser.parse(data), value.encoded() == data,
            !BindingReader.mentionsBinding(value)
        else { return nil }
        return value
    }

    private mutating func addParts(to request: inout JSONObject) {
        headers.removeAll { header in
            header.name.lowercased() == "content-type" && header.value.lowercased() == "multipart/form-data"
        }
        let parts = content.parts.map { part -> JSONValue in
            var object = JSONObject()
            object["name"] = .string(part.name)
            if let filename = part.filename { object["filename"] = .string(filename) }
            let type = part.contentType ?? (part.filename == nil ? nil : "application/octet-stream")
            if let type { object["content_type"] = .string(type) }
            if let text = String(validating: part.bytes, as: UTF8.self) {
                object["text"] = .string(text)
            } else {
                object["base64"] = .string(String(decoding: Base64.encode(part.bytes), as: UTF8.self))
            }
            return .object(object)
        }
        request["multipart"] = .array(parts)
    }

    // MARK: Fields

    private func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    private func type(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value.lowercased()
    }

    /// The fields by name; a repeated name has a list.
    private func headerMembers() -> JSONObject {
        var members = JSONObject()
        for header in headers {
            switch members[header.name] {
            case nil: members[header.name] = .string(header.value)
            case .array(let values)?: members[header.name] = .array(values + [.string(header.value)])
            case let value?: members[header.name] = .array([value, .string(header.value)])
            }
        }
        return members
    }

    private mutating func auth(_ credentials: String?) -> JSONValue? {
        if let bearer { return ["type": "bearer", "token": .string(bearer)] }
        let decoded = credentials.map { text in
            text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentCoding.decode(String($0)) ?? String($0) }
        }
        let given = user.map {
            $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        guard let pair = given ?? decoded, let name = pair.first else { return nil }
        return [
            "type": "basic", "username": .string(name), "password": .string(pair.count > 1 ? pair[1] : ""),
        ]
    }

    private mutating func noteWhatIsMissing() {
        for name in withoutHeaders.sorted() where ["accept", "user-agent"].contains(name) {
            remarks.append(
                ShellProblem(place: place, detail: "-H '\(name):' has no effect: the field is always sent."))
        }
    }

    private func retry() -> JSONObject? {
        guard let retries = patience.retries else { return nil }
        var retry = JSONObject()
        retry["max_attempts"] = .number(JSONNumber(Int64(min(retries, 99) + 1)))
        if let delay = patience.retryDelay {
            retry["backoff"] = .string(DurationText.iso8601(delay))
        } else {
            retry["backoff"] = ["type": "exponential", "initial": "1s", "factor": 2, "max": "10m"]
        }
        retry["jitter"] = "none"
        if patience.repeatsAll { retry["unsafe"] = .bool(true) }
        return retry
    }
}
