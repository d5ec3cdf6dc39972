import Commands
import StrictJSON

/// The output of a command for programs: one JSON document on a line.
enum JSONOutput {
    static let flag = Flag(name: "json", help: "print JSON", hasVariable: false)

    static func isWanted(_ given: Arguments) -> Bool { given.has(flag.name) }

    /// An object; members without a value are left out.
    static func text(_ members: [(String, JSONValue?)]) -> String {
        let known = members.compactMap { member in member.1.map { (member.0, $0) } }
        return String(decoding: JSONValue.object(JSONObject(known)).encoded(), as: UTF8.self) + "\n"
    }

    /// A text that is left out when it is empty.
    static func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

    /// The output of a command that failed.
    static func failure(_ code: ExitCode, _ members: [(String, JSONValue?)]) -> CommandFailure {
        CommandFailure(code: code, text: text(members), isOutput: true)
    }
}
