import Commands
import DurableJobs
import FoundationEssentials
import JobKit
import JobStore
import OpenSSLCrypto
import PostgresStore
import SQLiteStore
import StrictJSON

// DESIGN
// Only secrets are encrypted with the key. Without it the server does not start, since calls would fail that need them.
// This command removes exactly the secrets that the key does not open, so that with the right key it removes nothing.
// Where there is no key file, the new one is written before anything is removed: after a failure in between the command
// can be repeated.

/// `jobserver forget-secrets`: lists the secrets whose key is lost, and removes them.
enum SecretsCommand {
    static let flags: [Flag] =
        [
            ConfigFile.flag,
            DirectoryFlags.data, DirectoryFlags.secretKeyFile,
            Flag(
                name: "yes", help: "remove what is listed; otherwise nothing is changed", hasVariable: false),
        ] + SharedStoreAddress.flags + [JSONOutput.flag]

    /// The store and the key on the command line.
    private struct Place {
        let directory: String
        let shared: SharedStoreAddress?
        let keyFile: SecretKeyFile

        /// The secrets that the key does not open.
        func lost() throws(CommandFailure) -> LostSecrets {
            let key = try key()
            do throws(JobStoreError) {
                let find = { (reader: any JobReader) throws(JobStoreError) in
                    try LostSecrets(in: reader, key: key)
                }
                guard let shared else { return try DataDirectory(directory).reading(find) }
                return try PostgresDatabase.reading(
                    shared.connection, schema: shared.schema, options: shared.options, find)
            } catch {
                throw CommandFailure(error)
            }
        }

        /// The key in the file; nil when there is no file.
        func key() throws(CommandFailure) -> SecretKey? {
            do throws(EngineSetupError) { return try keyFile.existing() } catch {
                throw CommandFailure(error)
            }
        }

        /// Makes a key file with a new key.
        func makeKey() throws(CommandFailure) {
            do throws(EngineSetupError) { _ = try keyFile.create() } catch { throw CommandFailure(error) }
        }

        func open() throws(JobStoreError) -> any JobStore {
            guard let shared else { return try DataDirectory(directory).open() }
            return try PostgresDatabase.open(
                shared.connection, schema: shared.schema, options: shared.options)
        }
    }

    /// Lists or removes, and returns the text for standard output.
    static func run(
        _ arguments: [String], environment: [String: String]
    ) async throws(CommandFailure) -> String {
        let given = try Settings.arguments(
            arguments, flags: flags, environment: environment, command: "forget-secrets")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here", command: "forget-secrets")
        }
        let directory = given.value("data") ?? "data"
        let place = Place(
            directory: directory, shared: try SharedStoreAddress(given, command: "forget-secrets"),
            keyFile: SecretKeyFile(given.value("secret-key-file"), in: directory))
        let lost = try place.lost()
        let isJSON = JSONOutput.isWanted(given)
        if isJSON, lost.records.isEmpty || !given.has("yes") { return json(lost, isRemoved: false) }
        if lost.records.isEmpty {
            return lost.keptCount == 0
                ? "No secrets are stored: nothing is lost.\n"
                : "The key in \(place.keyFile.path) opens \(all(lost.keptCount)): nothing is lost.\n"
        }
        guard given.has("yes") else { return list(lost, place.keyFile) }
        if let warning = lost.warning { throw CommandFailure(code: .failure, text: warning) }
        return try await forget(place, isJSON: isJSON)
    }

    private static func json(_ lost: LostSecrets, isRemoved: Bool) -> String {
        JSONOutput.text([
            ("lost", .array(lost.records.map { .string($0.name) })), ("removed", .bool(isRemoved)),
            ("kept", .number(JSONNumber(Int64(lost.keptCount)))),
        ])
    }

    private static func all(_ count: Int) -> String {
        count == 1 ? "the only secret" : "all \(count) secrets"
    }

    private static func list(_ lost: LostSecrets, _ keyFile: SecretKeyFile) -> String {
        let isThere = FileManager.default.fileExists(atPath: keyFile.path)
        return """
            \(isThere ? "Some secrets are encrypted with a key other than \(keyFile.path)." : "There is no key file at \(keyFile.path).")
            \(lost.records.count) of \(Counted.text(lost.records.count + lost.keptCount, "secret")) cannot be opened:
            \(lost.lines)\(lost.warning ?? "")\
            A copy of the key file would open them: look in backups of the data directory and at the other servers of the
            store, and name it with --secret-key-file. Without it these values are lost.
            Nothing was changed. To remove these secrets and keep everything else, repeat the command with --yes.

            """
    }

    private static func forget(_ place: Place, isJSON: Bool) async throws(CommandFailure) -> String {
        let isNew = !FileManager.default.fileExists(atPath: place.keyFile.path)
        let store: any JobStore
        do throws(JobStoreError) { store = try place.open() } catch {
            throw CommandFailure(error)
        }
        let removed: Result<LostSecrets, CommandFailure>
        do throws(CommandFailure) {
            removed = .success(try await remove(from: store, place))
        } catch {
            removed = .failure(error)
        }
        await store.close()
        let gone = try removed.get()
        return isJSON ? json(gone, isRemoved: true) : report(gone, place, isNew: isNew)
    }

    /// Removes what the key does not open at this moment, when no server can start.
    private static func remove(
        from store: any JobStore, _ place: Place
    ) async throws(CommandFailure) -> LostSecrets {
        let key = try place.key()
        let lost: LostSecrets
        do throws(JobStoreError) { lost = try LostSecrets(in: store.makeReader(), key: key) } catch {
            throw CommandFailure(error)
        }
        if key == nil { try place.makeKey() }
        for record in lost.records {
            let change = AuditRecord(
                at: SystemTime.now(), by: "jobserver forget-secrets", kind: "secrets", action: "delete",
                target: record.name)
            let audited = store.auditing(
                AuditDraft(change) { "sha256:" + HexText.encode(SHA256.digest(of: $0)) })
            do throws(JobStoreError) {
                try await audited.perform(SettingRemoval(.secret, record.name))
            } catch {
                if error.code == .missing(.setting(.secret)) { continue }
                throw CommandFailure(
                    code: error.isAway ? .database : .data,
                    text:
                        "The secret \(record.name) could not be removed: \(error.detail) Repeat the command.")
            }
        }
        return lost
    }

    private static func report(_ lost: LostSecrets, _ place: Place, isNew: Bool) -> String {
        let count = lost.records.count
        let path = place.keyFile.path
        let servers = place.shared == nil ? "" : " All servers of the store need it."
        let first = lost.records.first.map { Tenant(ofStored: $0.name)?.shown($0.name) ?? $0.name } ?? "NAME"
        let isOfTenants = lost.records.contains { Tenant.isOwner(of: $0.name) }
        return """
            \(Counted.text(count, "secret")) \(count == 1 ? "was" : "were") removed, \(lost.keptCount) kept:
            \(lost.lines)\
            \(isNew ? "A new key is in \(path). Keep a copy apart from backups of the data." : "The key in \(path) stays.")\(servers)
            When the server runs, store each of these values again under its name:
              jobserver secret set \(first) < FILE
            \(isOfTenants ? "tenant/name is stored as name, with a token of that tenant.\n" : "")\
            Until then calls that need one fail with auth.secret_missing.

            """
    }
}
