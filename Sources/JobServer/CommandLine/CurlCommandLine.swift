import Commands
import EventIO
import JobClient
import JobSpec
import StrictJSON

/// `jobserver curl`: translates a curl command line to a job spec.
enum CurlCommandLine {
    /// The job spec of a command line, for standard output; ignored options are listed on standard error.
    /// - Throws: `.failure` with everything that cannot be translated.
    static func run(_ arguments: [String]) throws(CommandFailure) -> String {
        guard let line = arguments.first, arguments.count == 1 else {
            throw .usage(
                "Put the whole line in quotes: jobserver curl 'curl https://example.com/'", command: "curl")
        }
        if CurlInvocation.isRepaired(line) {
            throw CommandFailure(
                code: .failure,
                text: "The line has bytes that are not UTF-8, which an argument cannot have here. "
                    + "Give it on standard input: jobserver curl - < FILE")
        }
        let bytes = line == "-" ? try SpecInput("-").bytes : Array(line.utf8)
        let spec = try spec(of: bytes, name: "curl")
        return String(decoding: spec, as: UTF8.self) + "\n"
    }

    /// The job spec of a script of curl command lines.
    static func spec(of bytes: [UInt8], name: String) throws(CommandFailure) -> [UInt8] {
        do throws(SpecProblems) {
            let script = try CurlScript(bytes)
            for warning in script.warnings {
                DescriptorOutput.standardError.write(Array("warning: \(warning.detail)\n".utf8))
            }
            return script.spec.encoded()
        } catch {
            throw CommandFailure(
                code: .failure, text: CheckCommand.report(error, name: name))
        }
    }
}
