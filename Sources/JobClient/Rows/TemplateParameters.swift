internal import Commands
internal import StrictJSON

/// The parameters of a template, as far as the cells of a table need them.
struct TemplateParameters: Sendable {
    struct Parameter: Sendable, Hashable {
        var name: String
        var kind: Kind
        var isRequired: Bool
    }

    /// The values that a parameter takes.
    enum Kind: Sendable, Hashable {
        case text
        case number
        case flag
        /// An array or an object.
        case json
    }

    let parameters: [Parameter]

    /// Reads the definition of a template.
    init(_ definition: JSONValue) {
        parameters = (definition.object?["parameters"]?.object?.members ?? []).map { member in
            let kind: Kind =
                switch member.value.object?["type"]?.string {
                case "number", "integer": .number
                case "boolean": .flag
                case "array", "object": .json
                default: .text
                }
            let isRequired = member.value.object?["required"]?.bool ?? false
            return Parameter(name: member.name, kind: kind, isRequired: isRequired)
        }
    }

    /// The parameters that the cells of a table fill, by its first record.
    /// - Throws: `.failure` when they do not fit.
    func columns(
        of head: CSVReader.Record, in input: String, template: String
    ) throws(CommandFailure) -> [Parameter] {
        func failure(_ text: String) -> CommandFailure {
            CommandFailure(code: .failure, text: "\(input):\(head.line): \(text)".onTerminal)
        }
        if let problem = head.problem { throw failure(problem) }
        var columns: [Parameter] = []
        for cell in head.cells {
            guard let name = String(validating: cell.bytes, as: UTF8.self) else {
                throw failure("The names of the columns are not in UTF-8. Save the file as UTF-8.")
            }
            guard !columns.contains(where: { $0.name.hasSameBytes(as: name) }) else {
                throw failure("There are two columns \"\(name)\".")
            }
            guard let column = parameters.first(where: { $0.name.hasSameBytes(as: name) }) else {
                let known = parameters.map(\.name)
                let remedy =
                    head.cells.count == 1 && (cell.bytes.contains(0x3B) || cell.bytes.contains(0x09))
                    ? "Separate cells with commas."
                    : "It has \(known.isEmpty ? "none" : known.joined(separator: ", "))."
                throw failure(
                    "The first line names the columns, and the template \(template) has no parameter \"\(name)\". "
                        + remedy)
            }
            columns.append(column)
        }
        if let missing = parameters.first(where: { parameter in
            parameter.isRequired && !columns.contains { $0.name.hasSameBytes(as: parameter.name) }
        }) {
            throw failure(
                "The template \(template) requires \"\(missing.name)\", and there is no column of that name.")
        }
        return columns
    }
}

extension TemplateParameters.Kind {
    /// Writes the value of a cell that is not empty. A text that is no value of the kind stays a text, which the server
    /// refuses with the reason.
    func write(_ cell: CSVReader.Cell, _ text: String, to json: inout JSONWriter) {
        let value = self == .text ? nil : try? JSONParser.parse(cell.bytes, limits: .written(cell.bytes))
        switch (self, value) {
        case (.number, .number?), (.json, .array?), (.json, .object?): json.raw(cell.bytes)
        case (.flag, _):
            let word = cell.bytes.map { $0 | 0x20 }
            if word == Array("true".utf8) || word == Array("false".utf8) {
                json.value(word.count == 4)
            } else {
                json.value(text)
            }
        default: json.value(text)
        }
    }
}
