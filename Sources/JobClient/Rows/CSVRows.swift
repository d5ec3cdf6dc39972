internal import Commands
internal import StrictJSON

/// The records of a CSV file, each with the values of a template under the names of the first record.
struct CSVRows: InputRows {
    private var reader: CSVReader
    private let columns: [TemplateParameters.Parameter]
    private let template: String

    /// Reads the first record.
    /// - Throws: `.failure` when it does not fit the template, or is missing.
    init(_ input: InputBytes, _ parameters: TemplateParameters, of template: String) throws(CommandFailure) {
        reader = CSVReader(input)
        self.template = template
        guard let head = try reader.next() else {
            throw CommandFailure(
                code: .failure, text: "\(input.name) is empty. Its first line names the columns.")
        }
        columns = try parameters.columns(of: head, in: input.name, template: template)
    }

    mutating func next() throws(CommandFailure) -> InputRow? {
        guard let record = try reader.next() else { return nil }
        return InputRow(line: record.line, content: content(record))
    }

    private func content(_ record: CSVReader.Record) -> InputRow.Content {
        if let problem = record.problem { return .refused(problem) }
        guard record.cells.count == columns.count else {
            return .refused(
                "This has \(Counted.text(record.cells.count, "cell")), and the first line \(columns.count).")
        }
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        for (column, cell) in zip(columns, record.cells) {
            // As in the CSV of databases: nothing is no value, and "" is an empty text.
            if cell.bytes.isEmpty, !cell.isQuoted { continue }
            guard let text = String(validating: cell.bytes, as: UTF8.self) else {
                return .refused("\"\(column.name)\" is not in UTF-8. Save the file as UTF-8.")
            }
            json.name(column.name)
            column.kind.write(cell, text, to: &json)
        }
        json.endObject()
        return .job(RowForm.use(of: template, json.bytes))
    }
}
