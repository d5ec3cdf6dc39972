import CEmbedded
import Commands

/// The commit and the date of the build, which `make build` passes on.
enum BuildFacts {
    static let commit = unsafe String(cString: embedded_commit())
    static let date = unsafe String(cString: embedded_date())

    /// `jobserver version`
    static var text: String {
        let facts = [commit.isEmpty ? nil : "commit \(commit)", date.isEmpty ? nil : "built \(date)"]
        let line = facts.compactMap { $0 }.joined(separator: ", ")
        return "jobserver \(Version.text)\n" + (line.isEmpty ? "" : line + "\n")
    }
}
