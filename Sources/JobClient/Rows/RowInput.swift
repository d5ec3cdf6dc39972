internal import Commands
internal import HTTPMessage
internal import StrictJSON
internal import StrictYAML

/// The input of `jobserver submit`: one spec, or the rows of a file.
enum RowInput {
    case one(SpecInput)
    case many(any InputRows, name: String)

    /// The forms of an input.
    enum Format: String, CaseIterable {
        case json
        case ndjson
        case csv
        case yaml

        /// The form of a file by the end of its name.
        init(ofFile path: String) {
            func ends(in suffix: String) -> Bool {
                path.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { $0 | 0x20 == $1 | 0x20 }
            }
            self =
                ends(in: ".csv")
                ? .csv
                : ends(in: ".ndjson") || ends(in: ".jsonl")
                    ? .ndjson : ends(in: ".yaml") || ends(in: ".yml") ? .yaml : .json
        }
    }

    /// Opens a file, or standard input for `-`.
    /// - Parameters:
    ///   - format: the form; nil to tell it by the name.
    ///   - template: the template that takes the values of a row; nil when a row is a spec.
    static func open(
        _ path: String, _ format: Format?, template: String?, _ service: JobService
    ) async throws(CommandFailure) -> RowInput {
        if format == nil, SpecInput.isScript(path) {
            guard template == nil else {
                throw CommandFailure(code: .usage, text: "Curl lines are jobs: leave out --template.")
            }
            return .one(try SpecInput(path))
        }
        if format ?? Format(ofFile: path) == .yaml { return try yaml(path, RowForm(template: template)) }
        var input = try InputBytes(path: path)
        try input.skipMark()
        let form = RowForm(template: template)
        switch format ?? Format(ofFile: path) {
        case .ndjson: return .many(LineRows(input, form), name: input.name)
        case .csv:
            guard let template else {
                throw CommandFailure(
                    code: .usage,
                    text:
                        "\(input.name) has values and no jobs. Say which template takes them: --template NAME"
                )
            }
            let parameters = try await service.parameters(of: template)
            return .many(try CSVRows(input, parameters, of: template), name: input.name)
        case .json, .yaml:
            let space = try input.space(atMost: InputRow.bytesMax)
            if try input.peek() == 0x5B { return .many(ArrayRows(input, form), name: input.name) }
            let text = space + (try input.rest(atMost: InputRow.bytesMax - space.count))
            guard text.count <= InputRow.bytesMax else {
                throw CommandFailure(
                    code: .failure,
                    text: "\(input.name) is larger than 1 MiB, the most that is accepted for one job. "
                        + "Many jobs are an array, or one on each line of a file that ends in .ndjson.")
            }
            guard template != nil else { return .one(SpecInput(text, name: input.name)) }
            return .one(SpecInput(try job(of: form.content(text, line: 1), input.name), name: input.name))
        }
    }

    /// A document of YAML that is no list is one job; each further one, and each element of a list, is a row.
    private static func yaml(_ path: String, _ form: RowForm) throws(CommandFailure) -> RowInput {
        let name = SpecInput.name(of: path)
        var rows: [InputRow] = []
        var isList = false
        let documents = try SpecInput.documents(try SpecInput.text(path), name: name)
        for document in documents {
            isList = isList || document.value.array != nil
            for (index, value) in (document.value.array ?? [document.value]).enumerated() {
                let line = document.line(of: document.value.array == nil ? "" : "/\(index)")
                rows.append(InputRow(line: line, content: form.content(value.encoded(), line: line)))
            }
        }
        guard !isList, rows.count == 1 else { return .many(ReadRows(rows), name: name) }
        let spec = try job(of: rows[0].content, name)
        return .one(SpecInput(spec, name: name, yaml: form.template == nil ? documents.first : nil))
    }

    private static func job(of content: InputRow.Content, _ name: String) throws(CommandFailure) -> [UInt8] {
        switch content {
        case .job(let spec): return spec
        case .refused(let reason):
            throw CommandFailure(code: .failure, text: "\(name): \(reason)".onTerminal)
        }
    }
}

extension JobService {
    /// The parameters of a template, `NAME` or `NAME@VERSION`.
    func parameters(of template: String) async throws(CommandFailure) -> TemplateParameters {
        let parts = template.utf8.split(separator: 0x40, maxSplits: 1).map { String(Substring($0)) }
        var path = "/v1/templates/\(PercentCoding.encode(parts.first ?? ""))"
        if parts.count > 1 { path += "?version=\(PercentCoding.encode(parts[1], for: .queryPart))" }
        let answer = try await connection.send(ServerRequest(path))
        guard answer.isSuccess else {
            var failure = answer.failure(address)
            if answer.status == 403 {
                failure.text +=
                    "\nThe columns of a table are matched with the template, which the token must be allowed to read. "
                    + "NDJSON needs no such token."
            }
            throw failure
        }
        return TemplateParameters(try answer.json(address).object?["spec"] ?? .null)
    }
}
