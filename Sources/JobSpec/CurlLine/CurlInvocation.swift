internal import HTTPMessage
internal import JobKit
package import StrictJSON

/// A curl command line that is run as a job in place of curl: the job, and how its answer is shown.
///
/// The job makes one attempt unless the line has `--retry`, takes an answer with any status, and has the timeouts of
/// curl. Files that the line names are read.
package struct CurlInvocation: Sendable {
    /// The job spec. Its uploads have their marks as ids.
    private let spec: JSONValue
    /// The files that are uploaded before the job is submitted.
    package let uploads: [Upload]
    package let output: CurlOutput
    /// The URL, the method, and the number of retries.
    package let url: String
    package let method: String
    /// Options without an effect.
    package let remarks: [String]

    /// A file that is too large for a spec.
    package struct Upload: Sendable, Hashable {
        /// Stands for its id, and for nothing else.
        package let mark: String
        package let path: String
    }

    /// The reasons why a line cannot be run as a job.
    package struct Refusal: Error, Sendable, Hashable {
        package let details: [String]
    }

    /// The statuses that curl retries.
    static let transient: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// - Parameters:
    ///   - words: the command line, beginning with `curl`.
    ///   - userAgent: the `User-Agent` when the line names none, as curl sends it.
    ///   - size: the size of a file that can be uploaded; nil for anything else.
    ///   - read: the content of a file, or of standard input for `-`; nil when it cannot be read.
    package init(
        _ words: [String], userAgent: String, size: @escaping (String) -> Int? = { _ in nil },
        read: @escaping (String) -> [UInt8]?
    ) throws(Refusal) {
        if let word = words.first(where: { Self.isRepaired($0) }) {
            throw Refusal(details: [
                "\"\(String(quotable: word))\" has bytes that are not UTF-8, which an argument cannot have here. "
                    + "Write it in UTF-8, or put content into a file: --data-binary @file."
            ])
        }
        var output = CurlOutput()
        var files = CurlFiles(size: size, read: read)
        var arguments: [CurlArgument] = []
        for argument in CurlArgument.all(
            in: words.map { ShellWord(bytes: Array($0.utf8), place: ShellPlace()) })
        {
            guard case .option(let flag, _, let value, _) = argument else {
                arguments.append(argument)
                continue
            }
            if output.take(flag, value) { continue }
            if flag.name == "head" { output.includesHead = true }
            arguments += files.resolve(argument)
        }
        if let format = output.format, format.utf8.first == UInt8(ascii: "@") {
            output.format = files.text(
                String(decoding: format.utf8.dropFirst(), as: UTF8.self), "--write-out")
        }
        var call = CurlOperation(CurlCommand(files.withUpload(arguments), at: ShellPlace()))
        var operation = call.spec()
        var request = operation["request"]?.object ?? JSONObject()
        let problems = (call.command.problems + files.problems).map(\.detail)
        let lost = files.uploads.filter { !Self.refer(to: $0, in: &request) }
        guard problems.isEmpty, lost.isEmpty else {
            throw Refusal(
                details: problems
                    + lost.map {
                        "\($0.path) is larger than 256 KiB: give it alone, and not beside other content."
                    })
        }
        url = request["url"]?.string ?? ""
        method = request["method"]?.string ?? "GET"
        if output.takesNameFromURL && output.file == nil {
            output.file = String(decoding: call.remoteName, as: UTF8.self)
        }
        var headers = request["headers"]?.object ?? JSONObject()
        let fields = headers.members.map { $0.name.lowercased() }
        if !fields.contains("user-agent") {
            headers["User-Agent"] = .string(userAgent)
            request["headers"] = .object(headers)
        }
        let keepsFile = output.file != nil && output.file != "/dev/null"
        let asksForPart = fields.contains("range") || fields.contains("if-range")
        let isDownload = keepsFile && method == "GET" && !asksForPart
        operation["type"] = .string(isDownload ? "download" : "network")
        operation["request"] = .object(request)
        let retries = operation["retry"] != nil
        operation["expect"] = ["status": .array(Self.statuses(retries: retries))]
        if !retries { operation["retry"] = ["max_attempts": 1] }
        operation["timeouts"] = .object(Self.timeouts(operation["timeouts"]?.object ?? JSONObject()))
        spec = .object(operation)
        uploads = files.uploads
        self.output = output
        remarks = call.command.remarks.map(\.detail)
    }

    /// The time limits of curl where a line has none.
    private static func timeouts(_ given: JSONObject) -> JSONObject {
        var timeouts = given
        for (name, length) in [
            ("connect", "5m"), ("first_byte", "24h"), ("stall", "24h"), ("attempt", "24h"),
        ]
        where timeouts[name] == nil {
            timeouts[name] = .string(length)
        }
        return timeouts
    }

    /// The job spec.
    /// - Parameter ids: those of the uploads, in their order.
    package func spec(uploads ids: [String]) -> JSONValue {
        uploads.isEmpty ? spec : replaced(spec, ids)
    }

    private func replaced(_ value: JSONValue, _ ids: [String]) -> JSONValue {
        switch value {
        case .string(let text):
            guard let place = uploads.firstIndex(where: { text.hasSameBytes(as: $0.mark) }) else {
                return value
            }
            return .string(ids[place])
        case .array(let elements): return .array(elements.map { replaced($0, ids) })
        case .object(let object):
            return .object(
                JSONObject(
                    uniqueMembers: object.members.map { .init(name: $0.name, value: replaced($0.value, ids)) }
                ))
        default: return value
        }
    }

    /// Makes content that is the mark of an upload a reference to it; false when there is none.
    private static func refer(to upload: Upload, in request: inout JSONObject) -> Bool {
        func isMark(_ value: JSONValue?) -> Bool { value?.string?.hasSameBytes(as: upload.mark) ?? false }
        let reference = JSONValue.object(JSONObject([("id", .string(upload.mark))]))
        if isMark(request["text"]) {
            request["text"] = nil
            request["artifact"] = reference
            return true
        }
        guard case .array(var parts)? = request["multipart"],
            let index = parts.firstIndex(where: { isMark($0.object?["text"]) }),
            var part = parts[index].object
        else { return false }
        part["text"] = nil
        part["artifact"] = reference
        parts[index] = .object(part)
        request["multipart"] = .array(parts)
        return true
    }

    /// Whether a text from the command line has the character that replaced what was not UTF-8.
    package static func isRepaired(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }

    /// The statuses with which the call has succeeded: all, but for those that are retried.
    private static func statuses(retries: Bool) -> [JSONValue] {
        guard retries else { return ["2xx", "3xx", "4xx", "5xx"] }
        let others = (400...599).filter { !transient.contains($0) }
        return ["2xx", "3xx"] + others.map { .number(JSONNumber(Int64($0))) }
    }
}
