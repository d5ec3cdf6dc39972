internal import JobKit
internal import StrictJSON

/// Objects of the server as text for people.
enum ObjectText {
    /// The members, a line each; those of a member below it.
    static func text(_ value: JSONValue, now: Timestamp?) -> String {
        lines(value, indent: 0, now: now).joined(separator: "\n")
    }

    private static func lines(_ value: JSONValue, indent: Int, now: Timestamp?) -> [String] {
        let space = String(repeating: " ", count: indent)
        switch value {
        case .object(let object):
            let members = object.members.filter { $0.name != "links" }
            let width = (members.map(\.name.count).max() ?? 0) + 2
            return members.flatMap { member -> [String] in
                guard let text = plain(member.value) else {
                    return [space + member.name] + lines(member.value, indent: indent + 2, now: now)
                }
                let shown = member.name.utf8.suffix(3).elementsEqual("_at".utf8) ? age(text, now) : text
                return [
                    space + member.name + String(repeating: " ", count: width - member.name.count) + shown
                ]
            }
        case .array(let elements):
            return elements.flatMap { element -> [String] in
                var below = lines(element, indent: indent + 2, now: now)
                guard let first = below.first else { return [] }
                below[0] = space + "- " + first.dropFirst(indent + 2)
                return below
            }
        default: return [space + (plain(value) ?? "")]
        }
    }

    /// A value that fits on the line of its name; nil for one with members.
    private static func plain(_ value: JSONValue) -> String? {
        switch value {
        case .object(let object): object.isEmpty ? "none" : nil
        case .array(let elements): elements.isEmpty ? "none" : nil
        case .string(let text): text.onOneLine
        case .null: "none"
        case .bool(let isOn): isOn ? "yes" : "no"
        case .number(let number): number.text
        }
    }

    private static func age(_ text: String, _ now: Timestamp?) -> String {
        now == nil ? text : "\(text)  (\(AgeText.shown(text, now: now)))"
    }

    /// Items as a table.
    /// - Parameters:
    ///   - columns: members, those inside of others with a dot between; none when an item is a text.
    static func table(_ items: [JSONValue], columns: [String], now: Timestamp?) -> [String] {
        guard !columns.isEmpty else { return items.map { plain($0) ?? $0.text } }
        let head = columns.map { column in
            String(decoding: column.utf8.split(separator: UInt8(ascii: ".")).last ?? [], as: UTF8.self)
                .uppercased()
        }
        let rows = [head] + items.map { item in columns.map { cell(item, $0, now) } }
        let widths = columns.indices.map { index in rows.map { $0[index].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).dropLast().map { text, width in
                text + String(repeating: " ", count: width - text.count + 2)
            }
            return cells.joined() + (row.last ?? "")
        }
    }

    private static func cell(_ item: JSONValue, _ column: String, _ now: Timestamp?) -> String {
        let path =
            "/"
            + column.utf8.split(separator: UInt8(ascii: ".")).map { String(Substring($0)) }
            .joined(separator: "/")
        guard let value = JSONPointer(path)?.resolve(in: item) else { return "-" }
        let text = plain(value) ?? value.text
        return column.utf8.suffix(3).elementsEqual("_at".utf8) ? AgeText.shown(text, now: now) : text
    }
}
