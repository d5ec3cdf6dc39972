import Commands
import DurableJobs
import FoundationEssentials
import JobStore
import OpenSSLCrypto
import SQLiteStore
import StrictJSON

/// `jobserver backup`: copies the data of a running or stopped server into a new data directory.
enum BackupCommand {
    static let flags: [Flag] = [
        ConfigFile.flag,
        DirectoryFlags.data,
        Flag(
            name: "with-secret-key", value: nil,
            help: "copy secret.key, too: anyone with the copy can read the stored secrets",
            hasVariable: false),
        JSONOutput.flag,
    ]
    private static let secondsMax = 3_600

    /// Makes the backup and returns the text for standard output.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) -> String {
        let given = try Settings.arguments(
            arguments, flags: flags, environment: environment, command: "backup")
        guard let word = given.words.first, given.words.count == 1, !word.isEmpty else {
            throw .usage("Say where to: jobserver backup DIRECTORY", command: "backup")
        }
        let directory = given.value("data") ?? "data"
        let target = word.count > 1 && word.hasSuffix("/") ? String(word.dropLast()) : word
        guard !FileManager.default.fileExists(atPath: target) else {
            throw failure("\(target) exists already. Nothing is overwritten: choose another name.")
        }
        try checkPlace(of: target)
        guard FileManager.default.fileExists(atPath: directory + "/jobs.db") else {
            throw failure("There is no store in \(directory). Say where it is with --data DIR.")
        }
        let draft = try copy(directory, to: target)
        let missing: Int
        do throws(JobStoreError) {
            if given.has("with-secret-key") { try addSecretKey(from: directory, to: draft.path) }
            missing = try check(draft.path)
            try DataDirectory.move(draft.path, to: target)
        } catch {
            DataDirectory.remove(draft.path)
            throw failure(error.detail)
        }
        if JSONOutput.isWanted(given) {
            return JSONOutput.text([
                ("directory", .string(target)), ("jobs", .number(JSONNumber(Int64(draft.jobs)))),
                ("bytes", .number(JSONNumber(Int64(draft.bytes)))),
                ("files", .number(JSONNumber(Int64(draft.files)))),
                ("files_missing", .number(JSONNumber(Int64(missing)))),
                ("has_secret_key", .bool(given.has("with-secret-key"))),
            ])
        }
        return report(
            draft, of: directory, at: target, hasKey: given.has("with-secret-key"), missing: missing)
    }

    /// Checks that the parent of the target is a writable directory.
    private static func checkPlace(of target: String) throws(CommandFailure) {
        let end = target.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = end.map { $0 == target.startIndex ? "/" : String(target[..<$0]) } ?? "."
        var isFolder = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw failure(
                "The directory \(folder) for the backup does not exist. Create it, or choose another place.")
        }
        guard isFolder else {
            throw failure("\(folder) is not a directory. Choose another place for the backup.")
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw failure("The directory \(folder) cannot be written. Choose another place for the backup.")
        }
    }

    /// Makes the copy under a temporary name: by the server in its directory, or by this process.
    private static func copy(_ directory: String, to target: String) throws(CommandFailure) -> BackupSummary {
        let data = DataDirectory(directory)
        switch data.use {
        case .unknown(let reason): throw failure(reason)
        case .free:
            do throws(JobStoreError) { return try data.backUp(to: target + ".partial") } catch {
                throw failure(error.detail)
            }
        case .server:
            let answer = try ControlClient.ask(
                ControlDoor.backupPath, directory: directory, seconds: secondsMax)
            guard case .object(let object) = answer, let name = object["name"]?.string else {
                throw failure("The server's answer cannot be read; is it a different version?")
            }
            func number(_ name: String) -> Int { object[name]?.number?.int ?? 0 }
            var summary = BackupSummary(path: "\(directory)/\(name)")
            summary.bytes = number("bytes")
            summary.jobs = number("jobs")
            summary.files = number("files")
            return summary
        }
    }

    /// Opens the backup to verify that it can be read.
    /// - Returns: the number of content files missing from it because they were missing from the original.
    private static func check(_ path: String) throws(JobStoreError) -> Int {
        let copy = DataDirectory(path)
        defer { copy.tidy() }
        let report = try copy.examine()
        guard case .damaged(let lines) = report.outcome else { return report.filesLost }
        throw JobStoreError(
            .corrupt,
            "The store is damaged, and so would be its copy: \(lines.first ?? ""). Nothing was kept.")
    }

    private static func addSecretKey(from directory: String, to draft: String) throws(JobStoreError) {
        let name = SecretKeyFile.defaultName
        guard let key = FileManager.default.contents(atPath: "\(directory)/\(name)") else {
            throw JobStoreError(
                .unavailable,
                "There is no \(name) in \(directory). If the server has its key elsewhere, copy that file yourself."
            )
        }
        guard PrivateFile.create("\(draft)/\(name)", Array(key)) else {
            throw JobStoreError(.unavailable, "\(draft)/\(name) cannot be written.")
        }
    }

    /// The option with which a server started from the backup finds the key of the original; empty when there is no key
    /// file in the data directory.
    private static func keyOption(_ directory: String) -> String {
        let file = SecretKeyFile.defaultPath(in: directory)
        return FileManager.default.fileExists(atPath: file) ? " --secret-key-file \(file)" : ""
    }

    private static func report(
        _ summary: BackupSummary, of directory: String, at target: String, hasKey: Bool, missing: Int
    ) -> String {
        let files = summary.files == 0 ? "" : " and " + Counted.text(summary.files, "file") + " with content"
        let key =
            hasKey
            ? "secret.key is in it: keep it where only you can read it."
            : "secret.key is not in it: keep a copy of that file elsewhere, and say where it is with\n"
                + "--secret-key-file when you start from the backup."
        let loss =
            missing == 0
            ? ""
            : "\(Counted.text(missing, "file")) with content \(missing == 1 ? "was" : "were") not there to be copied; "
                + "jobserver doctor says more.\n"
        return """
            \(target): \(Counted.text(summary.jobs, "job")) in \(summary.bytes) bytes\(files), checked
            \(loss)\(key)
            Start from it: jobserver serve --data \(target)\(hasKey ? "" : keyOption(directory))

            """
    }

    private static func failure(_ text: String) -> CommandFailure {
        CommandFailure(code: .failure, text: text)
    }
}
