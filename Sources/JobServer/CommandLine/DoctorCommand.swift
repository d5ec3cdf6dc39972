import Commands
import ContentFiles
import DurableJobs
import FoundationEssentials
import JobStore
import OpenSSLCrypto
import PostgresStore
import SQLiteStore
import StrictJSON

/// `jobserver doctor`: checks a data directory and its machine, with the server running or not, or the PostgreSQL of a
/// shared store.
enum DoctorCommand {
    static let flags: [Flag] =
        [
            ConfigFile.flag,
            DirectoryFlags.data, DirectoryFlags.secretKeyFile,
            DiskReserveFlag.flag,
        ] + SharedStoreAddress.flags + [JSONOutput.flag]
    private static let secondsMax = 1_800

    /// Runs all checks and returns the text for standard output.
    /// - Throws: `.failure` with the same text when something needs action.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) -> String {
        let given = try Settings.arguments(
            arguments, flags: flags, environment: environment, command: "doctor")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here", command: "doctor")
        }
        let isJSON = JSONOutput.isWanted(given)
        if let shared = try SharedStoreAddress(given, command: "doctor") {
            return try inspect(shared, isJSON: isJSON)
        }
        let directory = given.value("data") ?? "data"
        guard let facts = DirectoryFacts(directory) else {
            let said = given.value("data") == nil ? "./data" : directory
            throw CommandFailure(
                code: .usage,
                text:
                    "There is no data directory \(said). Say where it is with --data DIR or --config FILE; a server that "
                    + "starts makes its own.")
        }
        let reserve = try DiskReserveFlag.value(given, command: "doctor")
        let data = DataDirectory(directory)
        let use = data.use
        var findings = Diagnosis.directory(facts, at: directory)
        findings += Diagnosis.space(
            facts.space, reserve.size, DirectoryUse(directory, backupPrefix: ControlDoor.backupPrefix))
        findings += Diagnosis.use(use, of: directory)
        findings += Diagnosis.disk(
            facts, syncsPerSecond: DirectoryFacts.syncRate(in: directory, milliseconds: 300))
        findings.append(Diagnosis.sqlite(DirectoryFacts.sqliteVersion))
        let key = given.value("secret-key-file") ?? SecretKeyFile.defaultPath(in: directory)
        findings += store(data, use, facts, key: key)
        if case .server(let process?) = use { findings += Diagnosis.process(ProcessLimits(process)) }
        return try tell(findings, isJSON: isJSON)
    }

    /// Looks at the PostgreSQL of a shared store.
    private static func inspect(
        _ shared: SharedStoreAddress, isJSON: Bool
    ) throws(CommandFailure) -> String {
        let report: PostgresReport
        do throws(JobStoreError) {
            report = try PostgresInspection.report(
                shared.connection, schema: shared.schema, options: shared.options)
        } catch {
            throw CommandFailure(error)
        }
        return try tell(Diagnosis.postgres(report, schema: shared.schema), isJSON: isJSON)
    }

    /// The text of findings.
    /// - Throws: `.failure` with the same text when something needs action.
    private static func tell(_ findings: [Finding], isJSON: Bool) throws(CommandFailure) -> String {
        let text = findings.map(\.line).joined()
        let wrong = findings.count { $0.level == .wrong }
        if isJSON {
            let members: [(String, JSONValue?)] = [
                ("ok", .bool(wrong == 0)), ("findings", .array(findings.map(\.json))),
            ]
            guard wrong == 0 else { throw JSONOutput.failure(.failure, members) }
            return JSONOutput.text(members)
        }
        guard wrong > 0 else { return text + "No action needed.\n" }
        throw CommandFailure(
            code: .failure, text: text + "To be fixed: \(Counted.text(wrong, "problem")).")
    }

    private static func store(
        _ data: DataDirectory, _ use: DataDirectory.Use, _ facts: DirectoryFacts, key: String
    ) -> [Finding] {
        guard facts.databaseBytes != nil else {
            return [Finding(.fine, "there is no store yet; the server makes it when it starts")]
        }
        let isServed: Bool
        let report: StoreReport?
        do {
            switch use {
            case .free where data.isUnfinishedCopy:
                return [
                    Finding(
                        .wrong, "the store is an unfinished copy of another one",
                        remedy: "run jobserver copy with the same --from and --to again, and with --restart")
                ]
            case .free:
                isServed = false
                report = StoreReport(try data.examine { RunningSHA256() }, trouble: nil)
            case .server:
                isServed = true
                report = StoreReport(
                    try ControlClient.ask(
                        ControlDoor.examinePath, directory: data.path, seconds: secondsMax))
            case .unknown:
                return []
            }
        } catch let error as CommandFailure {
            return [Finding(.wrong, "the store cannot be read: \(error.text)")]
        } catch {
            let detail = (error as? JobStoreError)?.detail ?? "\(error)"
            return [Finding(.wrong, "the store cannot be read: \(detail)")]
        }
        guard let report else {
            return [Finding(.wrong, "the server's answer cannot be read; is it a different version?")]
        }
        return Diagnosis.store(report, facts, isServed: isServed, now: SystemTime.now())
            + Diagnosis.secrets(report.secrets, key: key, hasKey: FileManager.default.fileExists(atPath: key))
    }
}
