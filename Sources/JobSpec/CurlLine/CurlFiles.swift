/// Replaces options that name files by options with their content.
struct CurlFiles {
    /// The maximum size of a file.
    static let bytesMax = CurlScript.bytesMax

    private let read: (String) -> [UInt8]?
    /// The files that cannot be read.
    private(set) var problems: [ShellProblem] = []
    private var upload: (bytes: [UInt8], name: String)?

    /// - Parameter read: the content of a file, or more of it than `bytesMax`; nil when it cannot be read.
    init(read: @escaping (String) -> [UInt8]?) { self.read = read }

    /// The content of a file as text.
    mutating func text(_ path: String, _ option: String) -> String {
        let bytes = content(path, option)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let detail = "\(option): \(path) has \(CurlCommand.notText(bytes[...]))."
        problems.append(ShellProblem(place: ShellPlace(), detail: detail))
        return ""
    }

    private mutating func content(_ path: String, _ option: String) -> [UInt8] {
        let bytes = read(path)
        if let bytes, bytes.count <= Self.bytesMax { return bytes }
        let why = bytes == nil ? "cannot be read" : "is larger than 1 MiB, the most that is accepted"
        problems.append(ShellProblem(place: ShellPlace(), detail: "\(option): \(path) \(why)."))
        return []
    }

    /// The argument without its file.
    mutating func resolve(_ argument: CurlArgument) -> [CurlArgument] {
        guard case .option(let flag, let name, let value, let word) = argument else { return [argument] }
        func option(_ long: String, _ bytes: [UInt8]) -> [CurlArgument] {
            guard let flag = CurlFlag.named(long) else { return [] }
            return [.option(flag, name: name, ShellWord(bytes: bytes, place: value.place), at: word)]
        }
        let path = String(decoding: value.bytes.dropFirst(), as: UTF8.self)
        let isFile = value.bytes.first == UInt8(ascii: "@")
        switch flag.name {
        case "data" where isFile, "data-ascii" where isFile:
            return option("data-raw", content(path, name).filter { $0 != 0x0A && $0 != 0x0D && $0 != 0 })
        case "data-binary" where isFile: return option("data-raw", content(path, name))
        case "json" where isFile: return option("json", content(path, name))
        case "data-urlencode", "url-query":
            guard let at = value.bytes.firstIndex(of: UInt8(ascii: "@")),
                !value.bytes[..<at].contains(0x3D)
            else { return [argument] }
            let file = String(decoding: value.bytes[(at + 1)...], as: UTF8.self)
            return option(flag.name, value.bytes[..<at] + [0x3D] + content(file, name))
        case "header" where isFile:
            let lines = content(path, name).split { $0 == 0x0A || $0 == 0x0D }
            return lines.flatMap { option("header", Array($0)) }
        case "form": return option("form", part(value.bytes, name))
        case "range": return option("header", Array("Range: bytes=".utf8) + value.bytes)
        case "upload-file":
            let path = String(decoding: value.bytes, as: UTF8.self)
            upload = (content(path, name), path)
            return []
        default: return [argument]
        }
    }

    /// `name=@file` and `name=<file`, with their attributes, as `name="content"`.
    private mutating func part(_ bytes: [UInt8], _ option: String) -> [UInt8] {
        guard let equals = bytes.firstIndex(of: 0x3D), equals + 1 < bytes.count,
            [UInt8(ascii: "@"), UInt8(ascii: "<")].contains(bytes[equals + 1])
        else { return bytes }
        let rest = bytes[(equals + 2)...]
        let semicolon = rest.firstIndex(of: 0x3B) ?? rest.endIndex
        let path = String(decoding: rest[..<semicolon], as: UTF8.self)
        let attributes = rest[semicolon...]
        var text = Array(bytes[...equals]) + [0x22]
        text += Self.escaped(content(path, option)) + [0x22]
        let isAttachment = bytes[equals + 1] == UInt8(ascii: "@")
        if isAttachment && !attributes.contains("filename=".utf8) {
            let name = path.utf8.split(separator: 0x2F).last.map(Array.init) ?? []
            text += Array(";filename=\"".utf8) + Self.escaped(name) + [0x22]
        }
        if isAttachment && !attributes.contains("type=".utf8) {
            text += Array(";type=\(Self.mediaType(path))".utf8)
        }
        return text + attributes
    }

    /// Bytes as they are between double quotes.
    private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            if byte == 0x22 || byte == 0x5C { escaped.append(0x5C) }
            escaped.append(byte)
        }
        return escaped
    }

    /// The media type that curl gives a file.
    private static func mediaType(_ path: String) -> String {
        let types = [
            ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
            ".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html",
            ".pdf": "application/pdf", ".xml": "application/xml",
        ]
        let name = Array(path.lowercased().utf8)
        return types.first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }

    /// The arguments with what `-T` means: a PUT with the content, to the name of the file where the URL has none.
    func withUpload(_ arguments: [CurlArgument]) -> [CurlArgument] {
        guard let upload, let data = CurlFlag.named("data-raw"), let method = CurlFlag.named("request"),
            let header = CurlFlag.named("header")
        else { return arguments }
        func option(_ flag: CurlFlag, _ bytes: [UInt8]) -> CurlArgument {
            let word = ShellWord(bytes: bytes, place: ShellPlace())
            return .option(flag, name: "-T", word, at: word)
        }
        let name = upload.name.utf8.split(separator: 0x2F).last.map(Array.init) ?? []
        let named = arguments.map { argument -> CurlArgument in
            guard case .url(var word) = argument, word.bytes.last == 0x2F, upload.name != "-" else {
                return argument
            }
            word.bytes += name
            return .url(word)
        }
        let hasType = arguments.contains { argument in
            guard case .option(let flag, _, let value, _) = argument, flag.name == "header" else {
                return false
            }
            let name = value.bytes.prefix { $0 != 0x3A }
            return String(decoding: name, as: UTF8.self).lowercased().utf8.elementsEqual("content-type".utf8)
        }
        let type = hasType ? [] : [option(header, Array("Content-Type: application/octet-stream".utf8))]
        return [option(method, Array("PUT".utf8))] + type + named + [option(data, upload.bytes)]
    }
}
