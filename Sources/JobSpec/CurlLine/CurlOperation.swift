internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// The operation that a command line describes.
struct CurlOperation {
    /// With the problems and remarks of the operation once it is made.
    private(set) var command: CurlCommand

    init(_ command: CurlCommand) { self.command = command }

    /// The maximum number of redirects of a call.
    private static let redirectsMax = 20

    /// The operation's spec. Problems are added to those of the command.
    mutating func spec() -> JSONObject {
        var operation = JSONObject()
        operation["type"] = .string(isDownload ? "download" : "network")
        operation["request"] = .object(request())
        if isDownload { operation["save"] = .object(target()) }
        if let retry = retry() { operation["retry"] = .object(retry) }
        if let timeouts { operation["timeouts"] = .object(timeouts) }
        return operation
    }

    private var isDownload: Bool {
        guard let file = command.file else { return false }
        return file != "/dev/null" && file != "-" && BuiltInKinds.names.contains(DownloadSpec.name)
    }

    /// The destination of the content.
    private mutating func target() -> JSONObject {
        let path = command.file.flatMap { $0.isEmpty ? nil : $0 }.map { Array($0.utf8) }
        let name = path.map { Array($0.split(separator: 0x2F).last ?? []) } ?? remoteName
        let kept = CurlURL.artifactName(path == nil ? CurlURL.percentDecoded(name[...]) : name)
        var object = JSONObject()
        guard let kept else { return object }
        object["artifact"] = .string(kept)
        if !kept.utf8.elementsEqual(name) {
            let shown = ShellWord(bytes: name, place: command.place).shown
            command.remark(
                at: command.place,
                "The content is kept as \(kept), not as \"\(shown)\": the name of an artifact has letters, "
                    + "digits, \".\", \"_\" and \"-\".")
        }
        return object
    }

    /// The name of the file that `-O` makes: the end of the path, as it is in the URL.
    var remoteName: [UInt8] {
        guard let word = command.urls.first else { return [] }
        let written = CurlURL.withScheme(word.bytes)
        let url = command.globs ? CurlURL.withoutGlobs(written).url : written
        let rest = url[CurlURL.hostPosition(in: url)...].prefix { $0 != 0x3F && $0 != 0x23 }
        guard let slash = rest.firstIndex(of: 0x2F),
            let path = String(validating: rest[slash...], as: UTF8.self)
        else { return [] }
        let name =
            URLReference.withoutDots(path).utf8.split(
                separator: 0x2F, omittingEmptySubsequences: false
            ).last ?? []
        return Array(name.split(separator: 0x5C, omittingEmptySubsequences: false).last ?? [])
    }

    private mutating func request() -> JSONObject {
        var request = JSONObject()
        let (url, credentials) = splitURL()
        let method = command.method ?? impliedMethod
        if method != "GET" { request["method"] = .string(method) }
        request["url"] = .string(url)
        addContent(to: &request)
        if !command.headers.isEmpty { request["headers"] = .object(headerMembers()) }
        if let auth = auth(credentials) { request["auth"] = auth }
        let follow =
            command.way.follows
            ? command.way.redirectsMax.map { $0 < 0 ? Self.redirectsMax : $0 } ?? Self.redirectsMax : 0
        var redirects = JSONObject()
        redirects["follow"] = .number(JSONNumber(Int64(min(follow, Self.redirectsMax))))
        if command.way.keepsAuth { redirects["keep_auth"] = .bool(true) }
        request["redirects"] = command.way.keepsAuth ? .object(redirects) : redirects["follow"]
        var http = JSONObject()
        if let version = command.way.version { http["version"] = .string(version) }
        if !command.way.isCompressed { http["compression"] = .bool(false) }
        if !http.isEmpty { request["http"] = .object(http) }
        addWay(to: &request)
        command.checkHosts(url)
        noteWhatIsMissing()
        return request
    }

    /// Adds proxy and TLS settings.
    private mutating func addWay(to request: inout JSONObject) {
        if let minimum = command.way.tlsMinimum, minimum != "1.2" {
            request["tls"] = ["min": .string(minimum)]
        }
        if let proxy = command.way.proxy, !proxy.isEmpty {
            var object = JSONObject()
            object["url"] = .string(String(decoding: CurlURL.withScheme(Array(proxy.utf8)), as: UTF8.self))
            if let list = command.way.noProxy {
                let names = list.utf8.split { $0 == 0x2C || $0 == 0x20 }
                object["bypass"] = .array(names.map { .string(String(decoding: $0, as: UTF8.self)) })
            }
            if let user = command.way.proxyUser {
                let (name, password) = Self.pair(user)
                object["username"] = .string(name)
                object["password"] = .string(password)
            }
            request["proxy"] = .object(object)
        }
    }

    private var timeouts: JSONObject? {
        var timeouts = JSONObject()
        let clocks = [
            ("connect", command.patience.connect), ("attempt", command.patience.attempt),
            ("total", command.patience.total),
        ]
        for (name, length) in clocks {
            if let length { timeouts[name] = .string(DurationText.text(length)) }
        }
        return timeouts.isEmpty ? nil : timeouts
    }

    private var impliedMethod: String {
        if command.isHead { return "HEAD" }
        let hasContent =
            command.content.data != nil && !command.content.goesToURL || !command.content.parts.isEmpty
        return hasContent ? "POST" : "GET"
    }

    // MARK: URL

    /// The URL with its query additions, and the credentials in it.
    private mutating func splitURL() -> (url: String, credentials: (String, String)?) {
        guard let word = command.urls.first else {
            command.refuse(at: command.place, "The command has no URL.")
            return ("", nil)
        }
        for other in command.urls.dropFirst().prefix(ShellReader.problemsMax) {
            command.refuse(other, "\"\(other.shown)\" is a second URL. Write each call on a line of its own.")
        }
        var url = CurlURL.withScheme(word.bytes)
        let begin = CurlURL.hostPosition(in: url)
        let end = url[begin...].firstIndex { "/?#".utf8.contains($0) } ?? url.endIndex
        var credentials: (String, String)?
        if let at = url[begin..<end].lastIndex(of: 0x40) {
            credentials = self.credentials(url[begin..<at], word)
            url.removeSubrange(begin...at)
        }
        if command.globs { url = withoutGlobs(url, word) }
        if let hash = url.firstIndex(of: 0x23) { url.removeSubrange(hash...) }
        guard var text = command.text(of: url[...], in: word, "The URL") else { return ("", nil) }
        if !command.keepsDots { text = CurlURL.withoutDots(text) }
        url = Array(text.utf8)
        addQueries(to: &url)
        if url.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            command.refuse(
                word,
                "The URL has a blank or a control character, which curl refuses: write %20, or give a query with "
                    + "-G --data-urlencode.")
        }
        return (CurlURL.encoded(url), credentials)
    }

    /// `name:password` of a URL, percent-decoded as curl does: a malformed escape stays.
    private mutating func credentials(_ bytes: ArraySlice<UInt8>, _ word: ShellWord) -> (String, String)? {
        let colon = bytes.firstIndex(of: 0x3A) ?? bytes.endIndex
        let name = CurlURL.percentDecoded(bytes[..<colon])
        let password = CurlURL.percentDecoded(bytes[colon...].dropFirst())
        guard let name = command.text(of: name[...], in: word, "The user name in the URL"),
            let password = command.text(of: password[...], in: word, "The password in the URL")
        else { return nil }
        return (name, password)
    }

    /// Adds what `-G` or `--url-query` has for the query; of both curl takes the former.
    private mutating func addQueries(to url: inout [UInt8]) {
        var addition: [UInt8]
        if command.content.goesToURL, let data = command.content.data {
            if let binary = command.content.binary {
                return command.refuse(
                    binary,
                    "The content for the URL (-G) has \(CurlCommand.notText(binary.bytes[...])). Give it with "
                        + "--data-urlencode.")
            }
            if let queryWord = command.queryWord {
                command.remark(queryWord, "--url-query has no effect beside -G.")
            }
            addition = data
        } else if command.queryWord != nil {
            addition = Array(command.queries.joined(separator: "&".utf8))
        } else {
            return
        }
        if let mark = url.firstIndex(of: 0x3F) {
            if mark + 1 < url.count, url.last != 0x26 { url.append(0x26) }
        } else if !addition.isEmpty {
            url.append(0x3F)
        }
        url += addition
    }

    /// The URL as curl calls it after it has looked for patterns. A pattern is a problem.
    private mutating func withoutGlobs(_ url: [UInt8], _ word: ShellWord) -> [UInt8] {
        let (url, glob) = CurlURL.withoutGlobs(url)
        if let glob {
            command.refuse(
                word,
                "curl takes \"\(Character(Unicode.Scalar(glob)))\" in a URL as a pattern for several URLs. Write one "
                    + "line for each, or add -g if it is meant as it is.")
        }
        return url
    }

    // MARK: Content

    private mutating func addContent(to request: inout JSONObject) {
        if !command.content.parts.isEmpty {
            if command.content.data != nil {
                command.refuse(at: command.place, "A call has -d or -F, not both.")
            }
            return addParts(to: &request)
        }
        guard let data = command.content.data, !command.content.goesToURL else { return }
        if command.isHead {
            command.refuse(at: command.place, "A call has -I or -d, not both. For a query add -G.")
        }
        let isBare = command.withoutHeaders.remove("content-type") != nil
        if data.isEmpty && isBare { return }
        if !command.has("content-type") {
            let type = command.content.isJSON ? "application/json" : "application/x-www-form-urlencoded"
            if isBare {
                command.refuse(at: command.place, "Content is always sent with a Content-Type; give it one.")
            }
            command.headers.append(("Content-Type", type))
        }
        if command.content.isJSON && !command.has("accept") && !command.withoutHeaders.contains("accept") {
            command.headers.append(("Accept", "application/json"))
        }
        if let json = Self.exactJSON(data),
            command.content.isJSON || type("content-type") == "application/json"
        {
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
        for header in command.headers where header.name.lowercased() == "content-type" {
            let type = header.value.utf8.prefix { $0 != 0x3B && $0 != 0x20 }
            if String(decoding: type, as: UTF8.self).lowercased() != "multipart/form-data" {
                command.refuse(
                    at: command.place,
                    "A form (-F) has the type multipart/form-data. Leave out its Content-Type.")
            } else if type.count < header.value.utf8.count {
                command.remark(
                    at: command.place,
                    "The parameters of Content-Type have no effect: a form (-F) has its own boundary.")
            }
        }
        command.headers.removeAll { $0.name.lowercased() == "content-type" }
        let parts = command.content.parts.map { part -> JSONValue in
            var object = JSONObject()
            object["name"] = .string(part.name)
            if let filename = part.filename { object["filename"] = .string(filename) }
            if let type = part.contentType { object["content_type"] = .string(type) }
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

    private func type(_ name: String) -> String? {
        command.headers.first { $0.name.lowercased() == name }?.value.lowercased()
    }

    /// The fields by name; a repeated name has a list.
    private func headerMembers() -> JSONObject {
        var values: [[JSONValue]] = []
        var names: [String] = []
        // A name is a token: ASCII.
        var places: [String: Int] = [:]
        for header in command.headers {
            let place = places[header.name] ?? names.count
            if place == names.count {
                places[header.name] = place
                names.append(header.name)
                values.append([])
            }
            values[place].append(.string(header.value))
        }
        return JSONObject(
            uniqueMembers: zip(names, values).map { name, values in
                JSONObject.Member(name: name, value: values.count == 1 ? values[0] : .array(values))
            })
    }

    /// The credentials, unless `-H` has or removes the field.
    private func auth(_ credentials: (String, String)?) -> JSONValue? {
        if command.has("authorization") || command.withoutHeaders.contains("authorization") { return nil }
        if let bearer = command.bearer { return ["type": "bearer", "token": .string(bearer)] }
        guard let (name, password) = command.user.map(Self.pair) ?? credentials else { return nil }
        return ["type": "basic", "username": .string(name), "password": .string(password)]
    }

    /// The sides of the first colon; without one the second is empty.
    private static func pair(_ text: String) -> (String, String) {
        guard let colon = text.utf8.firstIndex(of: 0x3A) else { return (text, "") }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }

    private mutating func noteWhatIsMissing() {
        for name in command.withoutHeaders.sorted() where ["accept", "user-agent", "host"].contains(name) {
            command.remark(at: command.place, "-H '\(name):' has no effect: the field is always sent.")
        }
    }

    private func retry() -> JSONObject? {
        guard let retries = command.patience.retries else { return nil }
        var retry = JSONObject()
        retry["max_attempts"] = .number(JSONNumber(Int64(retries + 1)))
        if let delay = command.patience.retryDelay {
            retry["backoff"] = .string(DurationText.text(delay))
        } else {
            retry["backoff"] = ["type": "exponential", "initial": "1s", "factor": 2, "max": "10m"]
        }
        retry["jitter"] = "none"
        if command.patience.repeatsAll { retry["unsafe"] = .bool(true) }
        return retry
    }
}
