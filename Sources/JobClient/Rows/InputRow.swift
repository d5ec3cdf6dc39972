internal import Commands
internal import StrictJSON

/// A row of an input: a record of a CSV file, a line of NDJSON, or an element of a JSON array.
struct InputRow: Sendable, Hashable {
    /// The line at which it begins, from 1.
    var line: Int
    var content: Content

    enum Content: Sendable, Hashable {
        /// A job spec as JSON.
        case job([UInt8])
        /// The reason why it makes no job, as a sentence.
        case refused(String)
    }

    /// The maximum size of a row, which is that of a spec.
    static let bytesMax = SpecInput.bytesMax
    static let tooLarge = "This is larger than 1 MiB, the most that is accepted."
}

/// The rows of an input, in order.
protocol InputRows {
    /// The next row; nil after the last one.
    /// - Throws: `.failure` when the input cannot be read on.
    mutating func next() throws(CommandFailure) -> InputRow?
}

/// Rows that are read already.
struct ReadRows: InputRows {
    private var rows: ArraySlice<InputRow>

    init(_ rows: [InputRow]) { self.rows = rows[...] }

    mutating func next() -> InputRow? { rows.popFirst() }
}

/// The job that a JSON text of a row makes: a spec, or the values of a template.
struct RowForm: Sendable {
    /// The template that takes the values; nil for specs.
    let template: String?

    func content(_ text: [UInt8], line: Int) -> InputRow.Content {
        let value: JSONValue
        do throws(JSONParseError) { value = try JSONParser.parse(text, limits: .written(text)) } catch {
            return .refused(error.description(inTextFrom: line))
        }
        guard let template else { return .job(text) }
        guard value.object != nil else {
            return .refused("Write the template's parameters as an object: {\"name\": …}.")
        }
        return .job(Self.use(of: template, text))
    }

    /// The spec that uses a template.
    /// - Parameter values: the parameters, as JSON.
    static func use(of template: String, _ values: [UInt8]) -> [UInt8] {
        var json = JSONWriter(capacity: values.count + template.utf8.count + 48)
        json.beginObject()
        json.member("template", template)
        json.member("params", raw: values)
        json.endObject()
        return json.bytes
    }
}
