import Commands
import ContentFiles
import DurableJobs
import EventIO
import FoundationEssentials
import JobKit
import JobStore
import PostgresStore
import SQLiteStore
import StrictJSON

/// `jobserver copy`: takes everything in a data directory along into a PostgreSQL, or back.
enum CopyCommand {
    static let flags: [Flag] =
        [
            ConfigFile.flag,
            Flag(
                name: "from", value: "STORE",
                help: "what is copied: a data directory, or postgres://host/name. A password belongs in\n"
                    + "JOBSERVER_FROM, JOBSERVER_TO or a password file"),
            Flag(
                name: "to", value: "STORE",
                help: "where to: the other one of the two. A directory is made when missing"),
            Flag(
                name: "restart",
                help: "remove what an interrupted copy left in the target, and begin anew", hasVariable: false
            ),
        ] + SharedStoreAddress.flags.filter { $0.name != "store" } + ArtifactsAddress.flags
        + [JSONOutput.flag]

    /// A store on the command line.
    private enum Place {
        case directory(String)
        case shared(SharedStoreAddress)

        init(_ flag: String, _ given: Arguments) throws(CommandFailure) {
            guard let text = given.value(flag), !text.isEmpty else {
                throw .usage("copy needs --from and --to", command: "copy")
            }
            guard SharedStoreAddress.isOne(text) else {
                self = .directory(text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text)
                return
            }
            self = .shared(try SharedStoreAddress(text, of: flag, given, command: "copy"))
        }

        var isDirectory: Bool { if case .directory = self { true } else { false } }

        /// The store for people.
        var name: String {
            switch self {
            case .directory(let path): path
            case .shared(let shared): "the schema \(shared.schema)"
            }
        }

        func source() throws(JobStoreError) -> any CopySource {
            switch self {
            case .directory(let path): try SQLiteCopySource(directory: path)
            case .shared(let shared):
                try PostgresCopySource(shared.connection, schema: shared.schema, options: shared.options)
            }
        }

        func target() throws(JobStoreError) -> any CopyTarget {
            switch self {
            case .directory(let path): try SQLiteCopyTarget(directory: path)
            case .shared(let shared):
                try PostgresCopyTarget(shared.connection, schema: shared.schema, options: shared.options)
            }
        }
    }

    /// Copies, and returns the text for standard output.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) async throws(CommandFailure) -> String {
        let given = try Settings.arguments(
            arguments, flags: flags, environment: environment, command: "copy")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here; flags begin with two dashes", command: "copy")
        }
        let from = try Place("from", given)
        let to = try Place("to", given)
        guard from.isDirectory != to.isDirectory else {
            throw .usage(
                from.isDirectory
                    ? "copy needs one PostgreSQL: directories are copied by jobserver backup"
                    : "copy needs one data directory: a PostgreSQL is copied by its own tools, such as pg_dump",
                command: "copy")
        }
        let address = try ArtifactsAddress(given, environment: environment, command: "copy")
        let text: String
        let isWhole: Bool
        let isJSON = JSONOutput.isWanted(given)
        do throws(JobStoreError) {
            let source = try from.source()
            let backend = try await place(address, of: source)
            let target = try to.target()
            var copy = StoreCopy(from: source, to: target, now: SystemTime.now(), tell: CopyProgress().tell)
            try copy.run(anew: given.has("restart"))
            let contents = try await self.contents(source, target, backend, from, to)
            say("comparing")
            try copy.finish()
            text =
                isJSON
                ? JSONOutput.text(members(copy.summary, contents))
                : report(copy.summary, contents, from: from, to: to)
            isWhole = contents.lost.isEmpty
        } catch {
            throw CommandFailure(error)
        }
        guard isWhole else { throw CommandFailure(code: .failure, text: text, isOutput: isJSON) }
        return text
    }

    /// The shared place of artifacts; nil when no job uses any and none is named.
    private static func place(
        _ address: ArtifactsAddress?, of source: any CopySource
    ) async throws(JobStoreError) -> (any ContentBackend)? {
        if let address { return try await address.open() }
        if try source.contents(after: "", limit: 1).isEmpty { return nil }
        throw JobStoreError(
            .unavailable,
            "There are artifacts in \(source.name). Say with --artifacts which place the servers on PostgreSQL share, as "
                + "for jobserver serve.")
    }

    /// Copies the artifacts.
    private static func contents(
        _ source: any CopySource, _ target: any CopyTarget, _ backend: (any ContentBackend)?, _ from: Place,
        _ to: Place
    ) async throws(JobStoreError) -> ContentCopy {
        var copy = ContentCopy()
        guard let backend else { return copy }
        var last = ""
        var named = 0
        while true {
            let found = try source.contents(after: last, limit: 100)
            guard let end = found.last else { break }
            last = end.sha256
            named += found.count
            do throws(ArtifactFailure) {
                switch (from, to) {
                case (.directory(let path), _):
                    try await copy.put(
                        found, from: ArtifactDirectory(existing: path + "/artifacts"), in: backend)
                case (_, .directory(let path)):
                    let directory: ArtifactDirectory
                    do throws(JobStoreError) {
                        directory = try ArtifactDirectory(path + "/artifacts")
                    } catch {
                        throw ArtifactFailure(.unavailable, error.detail)
                    }
                    try await copy.fetch(found, from: backend, to: directory)
                default: break
                }
            } catch {
                throw JobStoreError(error.code == .full ? .diskFull : .unavailable, error.detail)
            }
            try target.note(found)
            say("artifacts: \(copy.count)")
        }
        guard copy.count + copy.lost.count == named else {
            throw JobStoreError(
                .unavailable, "\(copy.count) of \(named) artifacts were copied. Copy again with --restart.")
        }
        return copy
    }

    /// The number of artifacts that a report names.
    private static let lostShown = 100

    private static func members(
        _ summary: StoreCopy.Summary, _ contents: ContentCopy
    ) -> [(String, JSONValue?)] {
        func number(_ count: Int) -> JSONValue { .number(JSONNumber(Int64(count))) }
        return [
            ("jobs", number(summary.jobs)), ("rows", number(summary.rows.values.reduce(0, +))),
            ("artifacts", number(contents.count)), ("lost", .array(contents.lost.map { .string("\($0)") })),
        ]
    }

    private static func report(
        _ summary: StoreCopy.Summary, _ contents: ContentCopy, from: Place, to: Place
    ) -> String {
        let rows = summary.rows.values.reduce(0, +)
        let lost =
            contents.lost.isEmpty
            ? ""
            : """
            \(Counted.text(contents.lost.count, "artifact")) could not be copied, since \
            \(contents.lost.count == 1 ? "it is" : "they are") missing or damaged in the source:
            \(contents.lost.prefix(lostShown).map { "  \($0)\n" }.joined())\(contents.lost.count > lostShown ? "  …\n" : "")\
            Their jobs have no result now. Restore these files from a backup and copy again into an empty store, or leave \
            it at that.

            """
        let key =
            if case .directory(let path) = from {
                SecretKeyFile.defaultPath(in: path)
            } else {
                "the key file of the servers before"
            }
        return """
            \(to.name): \(Counted.text(summary.jobs, "job")), \(Counted.text(rows, "further row")) and \
            \(Counted.text(contents.count, "artifact")) copied from \(from.name), and compared
            \(lost)Secrets can be read with --secret-key-file \(key).
            Start no server on \(from.name) any more: its jobs would run twice.

            """
    }

    static func say(_ text: String) { DescriptorOutput.standardError.write(Array("copy: \(text)\n".utf8)) }
}

/// Lines about how far a copy is, one a second.
private final class CopyProgress {
    private var last = ContinuousClock.now
    private var part = ""

    func tell(_ progress: StoreCopy.Progress) {
        let now = ContinuousClock.now
        guard progress.part != part || last.duration(to: now) >= .seconds(1) else { return }
        (last, part) = (now, progress.part)
        CopyCommand.say("\(progress.part): \(progress.done)\(progress.total.map { " of \($0)" } ?? "")")
    }
}
