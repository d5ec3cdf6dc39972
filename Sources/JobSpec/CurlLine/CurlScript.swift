package import StrictJSON

/// A script of curl command lines as a job.
///
/// One line is a call; several are the members of an ordered group. The text is parsed as a shell parses it, or as cmd
/// of Windows does when it is copied for that, but nothing is expanded or run: anything that needs a shell or a file is
/// a problem with its position.
package struct CurlScript: Sendable {
    package let spec: JSONValue
    /// The parts of the script without an effect on the job.
    package let warnings: [SpecWarning]

    /// The maximum size of a script: 1 MiB.
    package static let bytesMax = 1 << 20

    /// Parses a script.
    /// - Throws: all problems; the codes are `curl.…`.
    package init(_ bytes: [UInt8]) throws(SpecProblems) {
        let (commands, problems, notes) = Self.words(bytes)
        var operations: [JSONObject] = []
        var mistakes: [ShellProblem] = []
        var remarks = notes
        for words in commands where problems.count + mistakes.count < ShellReader.problemsMax {
            var call = CurlOperation(CurlCommand(words))
            operations.append(call.spec())
            mistakes += call.command.problems
            remarks += call.command.remarks
        }
        let shell = problems.map { Self.problem("curl.shell", $0) }
        let options = mistakes.map { Self.problem("curl.option", $0) }
        guard shell.isEmpty && options.isEmpty else {
            throw SpecProblems(Array((shell + options).prefix(ShellReader.problemsMax)))
        }
        guard let first = operations.first else {
            throw SpecProblems([
                Self.problem(
                    "curl.shell", ShellProblem(place: ShellPlace(), detail: "The script has no command."))
            ])
        }
        if operations.count == 1 {
            spec = .object(first)
        } else {
            let members = JSONValue.array(operations.map(JSONValue.object))
            spec = ["type": "group", "ordered": true, "operations": members]
        }
        let warnings = remarks.prefix(Self.warningsMax).map { Self.warning("At \($0.place): \($0.detail)") }
        let more = remarks.count - warnings.count
        self.warnings =
            more > 0 ? warnings + [Self.warning("\(more) more options have no effect.")] : warnings
    }

    private static func words(
        _ bytes: [UInt8]
    ) -> (commands: [[ShellWord]], problems: [ShellProblem], remarks: [ShellProblem]) {
        if CmdReader.reads(bytes) {
            let reader = CmdReader(bytes)
            return (reader.commands, reader.problems, reader.remarks)
        }
        let reader = ShellReader(bytes)
        return (reader.commands, reader.problems, [])
    }

    /// The number of options without an effect that are listed; the rest is counted.
    private static let warningsMax = 100

    private static func warning(_ detail: String) -> SpecWarning {
        SpecWarning(path: [], code: "warning.curl_option", detail: detail)
    }

    private static func problem(_ code: String, _ problem: ShellProblem) -> SpecProblem {
        SpecProblem(pointer: .root, code: code, detail: "At \(problem.place): \(problem.detail)")
    }
}
