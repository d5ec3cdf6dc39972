/// The options of a curl command line about its output, which the caller of a job obeys.
package struct CurlOutput: Sendable, Hashable {
    /// The treatment of a status from 400 on.
    package enum Failure: Sendable, Hashable {
        case ignored
        /// No output, exit code 22 (`-f`).
        case fails
        /// The output, and exit code 22.
        case failsWithBody
    }

    /// The output file; nil for standard output.
    package internal(set) var file: String?
    /// The directory of the output file.
    package internal(set) var folder: String?
    /// Whether missing directories are created.
    package internal(set) var createsFolders = false
    /// Whether the head of the answer comes before its content.
    package internal(set) var includesHead = false
    /// The file that receives the head; `-` is standard output.
    package internal(set) var headFile: String?
    package internal(set) var failure = Failure.ignored
    package internal(set) var isSilent = false
    /// Whether errors are shown although it is silent.
    package internal(set) var showsErrors = false
    /// The text of `-w`.
    package internal(set) var format: String?
    /// Whether the name of the file comes from the URL (`-O`).
    var takesNameFromURL = false

    package init() {}

    /// Takes the effect of an option.
    /// - Returns: whether it was about the output.
    mutating func take(_ flag: CurlFlag, _ value: ShellWord) -> Bool {
        let text = String(decoding: value.bytes, as: UTF8.self)
        switch flag.name {
        case "output": file = value.spells("-") ? nil : text
        case "remote-name": takesNameFromURL = true
        case "output-dir": folder = text
        case "create-dirs": createsFolders = true
        case "include": includesHead = true
        case "dump-header": headFile = text
        case "fail": failure = .fails
        case "fail-with-body": failure = .failsWithBody
        case "silent": isSilent = true
        case "show-error": showsErrors = true
        case "write-out": format = text
        case "no-progress-meter", "progress-bar", "no-buffer", "disable", "styled-output", "basic": break
        default: return false
        }
        return true
    }
}
