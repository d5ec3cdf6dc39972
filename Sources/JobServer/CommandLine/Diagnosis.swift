import Commands
import JobKit
import JobStore
import SQLiteStore

/// Turns facts about a data directory and its machine into findings for an operator.
enum Diagnosis {
    private static let mebibyte = 1 << 20

    /// Permissions of the directory.
    static func directory(_ facts: DirectoryFacts, at path: String) -> [Finding] {
        var found: [Finding] = []
        if !facts.isWritable {
            found.append(
                Finding(
                    .wrong, "this user cannot write to \(path)",
                    remedy: "run doctor and the server as the owner of the directory, or: chown"))
        }
        if let open = PrivatePath(path, mode: facts.mode, for: .data) {
            found.append(Finding(.wrong, open.text, remedy: open.remedy))
        } else {
            found.append(Finding(.fine, "\(path) is accessible to its owner only"))
        }
        return found
    }

    /// The process that uses the directory.
    static func use(_ use: DataDirectory.Use, of path: String) -> [Finding] {
        switch use {
        case .server(let process):
            [Finding(.fine, "a server runs here" + (process.map { " (process \($0))" } ?? ""))]
        case .free(closed: true): [Finding(.fine, "no server runs here; the last one stopped in order")]
        case .free(closed: false):
            [
                Finding(
                    .notice, "no server runs here; the last one was killed, or the machine stopped",
                    remedy: "nothing: the next start resumes the running jobs and verifies the store")
            ]
        case .unknown(let reason): [Finding(.wrong, reason)]
        }
    }

    /// The type of the disk and its sync rate.
    static func disk(_ facts: DirectoryFacts, syncsPerSecond: Double?) -> [Finding] {
        var found: [Finding] = []
        switch facts.fileSystem {
        case "nfs", "cifs", "smb", "smb2", "9p", "ceph", "fuse":
            found.append(
                Finding(
                    .wrong, "the directory is on a network file system (\(facts.fileSystem))",
                    remedy: "locks and fsync cannot be relied on there: use a local disk"))
        case "tmpfs", "ramfs":
            found.append(
                Finding(
                    .notice, "the directory is in memory (\(facts.fileSystem)): a reboot loses everything",
                    remedy: "use a disk, unless this is a trial"))
        case "overlay":
            found.append(
                Finding(
                    .notice, "the directory is in the layer of a container: it is lost with the container",
                    remedy: "mount a volume"))
        default: found.append(Finding(.fine, "file system \(facts.fileSystem)"))
        }
        guard let rate = syncsPerSecond else {
            found.append(
                Finding(
                    .wrong, "a small write could not be made durable",
                    remedy: "check the disk (dmesg) and the permissions of the directory"))
            return found
        }
        let text = "\(Int(rate.rounded())) writes of 4 KiB made durable per second"
        let isSlow = rate < 50
        found.append(
            Finding(
                isSlow ? .notice : .fine, text,
                remedy: isSlow ? "each group of accepted jobs waits for one: use a faster disk" : nil))
        return found
    }

    /// The version of the SQLite library.
    static func sqlite(_ version: (text: String, number: Int)) -> Finding {
        let text = "SQLite \(version.text)"
        guard (3_007_000..<3_051_003).contains(version.number) else { return Finding(.fine, text) }
        return Finding(
            .fine,
            text
                + ", in which two connections that write or checkpoint at the same moment can damage a database "
                + "(WAL-reset bug, corrected in 3.51.3). It cannot happen here: one server at a time locks the "
                + "directory, and one of its connections does all the writing and checkpointing")
    }

    /// The integrity and the contents of the store.
    static func store(
        _ report: StoreReport, _ facts: DirectoryFacts, isServed: Bool, now: Timestamp
    ) -> [Finding] {
        var found: [Finding] = []
        if let first = report.damage.first {
            found.append(
                Finding(
                    .wrong, "the store is damaged: \(first)" + (report.damage.count > 1 ? " …" : ""),
                    remedy: "stop the server, check the disk, restore the last backup"))
        } else if report.isComplete {
            found.append(Finding(.fine, "the store is sound (checked in \(report.milliseconds) ms)"))
        } else {
            found.append(
                Finding(.notice, "the verification of the store ended early", remedy: "run doctor again"))
        }
        if let trouble = report.trouble, report.damage.isEmpty { found.append(Finding(.wrong, trouble)) }
        let counts = report.jobs.sorted { $0.key < $1.key }.filter { $0.value > 0 }
        found.append(
            Finding(
                .fine,
                counts.isEmpty
                    ? "no jobs" : "jobs: " + counts.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            ))
        let log = "write-ahead log \(facts.logBytes / mebibyte) MiB"
        found.append(
            facts.logBytes > 512 * mebibyte
                ? Finding(.notice, log, remedy: "a long read or backup may hold it up; it shrinks afterwards")
                : Finding(.fine, log))
        if let first = report.firstLost {
            found.append(
                Finding(
                    .wrong,
                    Counted.text(report.filesLost, "file")
                        + (report.filesLost == 1
                            ? " with content is missing or damaged: \(first)"
                            : " with content are missing or damaged: \(first) …"),
                    remedy: "restore them from a backup, or run their jobs again"))
        }
        found += waiting(report, isServed: isServed)
        if let newest = report.newest, newest > now.milliseconds + 60_000 {
            found.append(
                Finding(
                    .wrong, "the newest job was made \((newest - now.milliseconds) / 1_000) s in the future",
                    remedy: "the clock of this machine was set back: correct it (timedatectl)"))
        }
        return found
    }

    private static func waiting(_ report: StoreReport, isServed: Bool) -> [Finding] {
        var found: [Finding] = []
        if isServed && report.overdue > 0 {
            found.append(
                Finding(
                    .wrong, "\(report.overdue) jobs have been due for more than five minutes",
                    remedy: "all slots may be taken: look at /metrics, raise --concurrency"))
        }
        if isServed && report.abandoned > 0 {
            found.append(
                Finding(
                    .wrong, "\(report.abandoned) jobs are claimed by runs whose lease has expired",
                    remedy: "restart the server: it resumes them"))
        }
        return found
    }

    /// The presence of the key that decrypts the stored secrets.
    static func secrets(_ count: Int, key: String, hasKey: Bool) -> [Finding] {
        if count == 0 { return [] }
        let text = Counted.text(count, "secret") + (count == 1 ? " is stored" : " are stored")
        if hasKey {
            let open = PrivatePath(key, for: .key).map { Finding(.wrong, $0.text, remedy: $0.remedy) }
            return [open ?? Finding(.fine, "\(text), and the key file is there")]
        }
        return [
            Finding(
                .wrong, "\(text), and there is no key file at \(key)",
                remedy:
                    "restore it, or say where it is, also to the server, with --secret-key-file; if it is lost: "
                    + "jobserver forget-secrets"
            )
        ]
    }

    /// The resource limits of the running server.
    static func process(_ limits: ProcessLimits?) -> [Finding] {
        guard let limits else { return [] }
        let text = "the server has \(limits.descriptors) of \(limits.descriptorsMax) descriptors"
        if limits.descriptors + 64 > limits.descriptorsMax {
            return [Finding(.wrong, text, remedy: "raise the limit (ulimit -n, LimitNOFILE=)")]
        }
        if limits.descriptorsMax < 4_096 {
            return [
                Finding(
                    .notice, text,
                    remedy: "it serves fewer connections than it could: raise the limit (ulimit -n)")
            ]
        }
        return [Finding(.fine, text)]
    }
}
