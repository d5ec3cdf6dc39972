import Foundation
import StrictJSON
import Testing

@testable import JobSpec

/// The commands of curl's own pages, and edges of its options. `make curl` compares what arrives with curl itself.
@Suite struct `The lines that are compared with curl` {
    /// The lines of a file, with whether their script is refused; nil when curl sends nothing either.
    private static func lines(_ name: String) throws -> [(line: String, isRefused: Bool?)] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Curl/\(name)"), encoding: .utf8)
        var found: [(line: String, isRefused: Bool?)] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            if line.hasPrefix("    script: ") {
                found[found.count - 1].isRefused =
                    line.contains("script: nothing") ? nil : line.contains("script: refused")
            } else if !line.hasPrefix("    ") {
                found.append((String(line), false))
            }
        }
        return found
    }

    @Test(arguments: [("manual.txt", 450), ("edges.txt", 130)])
    func `are read, or refused with a reason that is written down`(name: String, least: Int) throws {
        let lines = try Self.lines(name)
        #expect(lines.count >= least)
        for (line, isRefused) in lines {
            var found: [String] = []
            do throws(SpecProblems) {
                let spec = try CurlScript(Array(line.utf8)).spec
                found = problems(String(decoding: spec.encoded(), as: UTF8.self)).map { "\($0)" }
            } catch { found = error.list.map(\.detail) }
            if let isRefused { #expect(found.isEmpty == !isRefused, "\(line): \(found)") }
        }
    }
}
