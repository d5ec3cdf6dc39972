package import StrictJSON

/// A script of curl command lines as a job.
///
/// One line is a call; several are the members of an ordered group. The text is parsed as a shell parses it, but
/// nothing is expanded or run: anything that needs a shell or a file is a problem with its position.
package struct CurlScript: Sendable {
    /// The job spec.
    package let spec: JSONValue
    /// The parts of the script without an effect on the job.
    package let warnings: [SpecWarning]

    /// The maximum size of a script: 1 MiB.
    package static let bytesMax = 1 << 20

    /// Parses a script.
    /// - Throws: all problems; the codes are `curl.…`.
    package init(_ bytes: [UInt8]) throws(SpecProblems) {
        let reader = ShellReader(bytes)
        var commands = reader.commands.map { CurlCommand($0) }
        var operations: [JSONObject] = []
        for index in commands.indices { operations.append(commands[index].operation()) }
        let shell = reader.problems.map { Self.problem("curl.shell", $0) }
        let options = commands.flatMap(\.problems).map { Self.problem("curl.option", $0) }
        guard let first = operations.first else {
            throw SpecProblems([
                Self.problem(
                    "curl.shell", ShellProblem(place: ShellPlace(), detail: "The script has no command."))
            ])
        }
        guard shell.isEmpty && options.isEmpty else {
            throw SpecProblems(Array((shell + options).prefix(100)))
        }
        if operations.count == 1 {
            spec = .object(first)
        } else {
            let members = JSONValue.array(operations.map(JSONValue.object))
            spec = ["type": "group", "ordered": true, "operations": members]
        }
        warnings = commands.flatMap(\.remarks).map {
            SpecWarning(path: [], code: "warning.curl_option", detail: "At \($0.place): \($0.detail)")
        }
    }

    private static func problem(_ code: String, _ problem: ShellProblem) -> SpecProblem {
        SpecProblem(pointer: .root, code: code, detail: "At \(problem.place): \(problem.detail)")
    }
}
