/// Replaces options that name files by options with their content.
struct CurlFiles {
    /// The maximum size of a file.
    static let bytesMax = CurlScript.bytesMax

    /// The size from which a file that is content of its own is uploaded before the job.
    static let uploadBytesMin = 256 << 10

    private let read: (String) -> [UInt8]?
    private let size: (String) -> Int?
    /// The files to upload, each with the text that stands for its content.
    private(set) var uploads: [CurlInvocation.Upload] = []
    /// The files that cannot be read.
    private(set) var problems: [ShellProblem] = []
    private var upload: (bytes: [UInt8], name: String)?

    /// - Parameters:
    ///   - size: the size of a file that can be uploaded; nil for anything else.
    ///   - read: the content of a file, or more of it than `bytesMax`; nil when it cannot be read.
    init(size: @escaping (String) -> Int?, read: @escaping (String) -> [UInt8]?) {
        self.size = size
        self.read = read
    }

    /// The content of a file as text.
    mutating func text(_ path: String, _ option: String) -> String {
        let bytes = content(path, option)
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let detail = "\(option): \(path) has \(CurlCommand.notText(bytes[...]))."
        problems.append(ShellProblem(place: ShellPlace(), detail: detail))
        return ""
    }

    /// The content of a file that is all of a request's content, or of a part of a form; for a large one the text that
    /// stands for it.
    private mutating func wholeContent(_ path: String, _ option: String) -> [UInt8] {
        guard let size = size(path), size >= Self.uploadBytesMin else { return content(path, option) }
        let mark = "upload-\(UInt64.random(in: 0 ... .max))-\(UInt64.random(in: 0 ... .max))"
        uploads.append(CurlInvocation.Upload(mark: mark, path: path))
        return Array(mark.utf8)
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
        case "data-binary" where isFile: return option("data-raw", wholeContent(path, name))
        case "json" where isFile: return option("json", content(path, name))
        case "data-urlencode", "url-query":
            if flag.name.utf8.elementsEqual("url-query".utf8), value.bytes.first == UInt8(ascii: "+") {
                return [argument]
            }
            guard let at = value.bytes.firstIndex(of: UInt8(ascii: "@")),
                !value.bytes[..<at].contains(0x3D)
            else { return [argument] }
            let file = String(decoding: value.bytes[(at + 1)...], as: UTF8.self)
            return option(flag.name, value.bytes[..<at] + [0x3D] + content(file, name))
        case "header" where isFile:
            let lines = content(path, name).split { $0 == 0x0A || $0 == 0x0D }
            return lines.flatMap { option("header", Array($0)) }
        case "form": return option("form", part(value.bytes, name))
        case "range":
            // A number alone means the content from there on.
            let end: [UInt8] = value.bytes.contains(0x2D) ? [] : [0x2D]
            return option("header", Array("Range: bytes=".utf8) + value.bytes + end)
        case "upload-file":
            let path = String(decoding: value.bytes, as: UTF8.self)
            upload = (wholeContent(path, name), path)
            return []
        default: return [argument]
        }
    }

    /// `name=@file` and `name=<file`, with their attributes, as `name="content"`. The type is that of the file's name.
    private mutating func part(_ bytes: [UInt8], _ option: String) -> [UInt8] {
        guard let equals = bytes.firstIndex(of: 0x3D), equals + 1 < bytes.count,
            [UInt8(ascii: "@"), UInt8(ascii: "<")].contains(bytes[equals + 1])
        else { return bytes }
        let isAttachment = bytes[equals + 1] == UInt8(ascii: "@")
        let reader = CurlPartReader(bytes[(equals + 2)...], endsAtComma: isAttachment)
        if reader.hasMore {
            let detail =
                "\(option) with several files makes nested parts. Write \(option) once for each file."
            problems.append(ShellProblem(place: ShellPlace(), detail: detail))
            return bytes
        }
        let path = reader.content
        let content = wholeContent(String(decoding: path, as: UTF8.self), option)
        var attributes: [(name: String, value: [UInt8])] = []
        var type = CurlPart.mediaType(of: path)
        if isAttachment {
            let name = reader.filename ?? path.split(separator: 0x2F).last.map { Array($0) } ?? []
            attributes.append(("filename", name))
            type = CurlPart.mediaType(of: name) ?? type ?? "application/octet-stream"
        } else if type?.utf8.elementsEqual("text/plain".utf8) == true {
            type = nil
        }
        attributes += reader.others
        var text = Array(bytes[...equals]) + Self.quoted(content)
        for (name, value) in attributes { text += Array(";\(name)=".utf8) + Self.quoted(value) }
        if reader.hasBadType {
            problems.append(ShellProblem(place: ShellPlace(), detail: CurlPartReader.badType(option)))
        } else if let type = reader.type ?? type.map({ Array($0.utf8) }) {
            // curl reads it without quotes.
            text += Array(";type=".utf8) + type
        }
        return text
    }

    /// Bytes in double quotes.
    private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
        var quoted: [UInt8] = [0x22]
        quoted.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            if byte == 0x22 || byte == 0x5C { quoted.append(0x5C) }
            quoted.append(byte)
        }
        return quoted + [0x22]
    }

    /// The URL with the name of the uploaded file where its path has none.
    private static func url(_ url: [UInt8], withName path: String) -> [UInt8] {
        let begin = CurlURL.hostPosition(in: url)
        let end = url[begin...].firstIndex { "?#".utf8.contains($0) } ?? url.endIndex
        let slash = url[begin..<end].lastIndex(of: 0x2F)
        guard slash == nil || slash == end - 1 else { return url }
        let name = path.utf8.split { $0 == 0x2F || $0 == 0x5C }.last.map { Array($0) } ?? []
        let added = (slash == nil ? [0x2F] : []) + CurlURL.formEncoded(name[...], blank: "%20")
        return url[..<end] + added + url[end...]
    }

    /// The arguments with what `-T` means: a PUT with the content, to the name of the file where the URL has none.
    mutating func withUpload(_ arguments: [CurlArgument]) -> [CurlArgument] {
        guard let upload, let data = CurlFlag.named("data-raw"), let method = CurlFlag.named("request"),
            let header = CurlFlag.named("header")
        else { return arguments }
        func option(_ flag: CurlFlag, _ bytes: [UInt8]) -> CurlArgument {
            let word = ShellWord(bytes: bytes, place: ShellPlace())
            return .option(flag, name: "-T", word, at: word)
        }
        let hasOther = arguments.contains { argument in
            guard case .option(let flag, _, _, _) = argument else { return false }
            return flag.meaning.isContent
        }
        if hasOther {
            problems.append(
                ShellProblem(place: ShellPlace(), detail: "A call has -T or other content, not both."))
        }
        let named = arguments.map { argument -> CurlArgument in
            guard case .url(var word) = argument, upload.name != "-" else { return argument }
            word.bytes = Self.url(word.bytes, withName: upload.name)
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
