import Foundation
import Testing

/// The documents in `Corpus/`. A file's name is its expected outcome: `y_…` is accepted, `n_<code>_…` is refused with
/// that code, and `i_accepted_…` and `i_refused_<code>_…` are the cases that RFC 8259 leaves to the implementation,
/// with our decision.
struct CorpusDocument: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String { name }

    var mustBeAccepted: Bool { name.hasPrefix("y_") || name.hasPrefix("i_accepted_") }

    /// The error code in the name, without `json.`; nil when the document must be accepted.
    var expectedCode: String? {
        guard !mustBeAccepted else { return nil }
        let rest = name.hasPrefix("n_") ? name.dropFirst(2) : name.dropFirst("i_refused_".count)
        let codes = ["duplicate_member", "syntax", "number", "escape", "utf8", "depth"]
        return codes.first { rest.hasPrefix($0 + "_") }
    }

    static let all: [CorpusDocument] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return files.compactMap { file in
            guard let data = try? Data(contentsOf: file) else { return nil }
            return CorpusDocument(name: file.deletingPathExtension().lastPathComponent, bytes: Array(data))
        }.sorted { $0.name < $1.name }
    }()
}
