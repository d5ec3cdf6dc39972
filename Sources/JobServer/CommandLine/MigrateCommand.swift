import Commands
import JobStore
import PostgresStore
import StrictJSON

/// `jobserver migrate`: makes the schema of a shared store, or brings it to the version of this program.
enum MigrateCommand {
    static let flags = [ConfigFile.flag] + SharedStoreAddress.flags + [JSONOutput.flag]

    /// Migrates, and returns a line that says so.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) -> String {
        let given = try Settings.arguments(
            arguments, flags: flags, environment: environment, command: "migrate")
        if let word = given.words.first {
            throw .usage("\"\(word)\" is not expected here; flags begin with two dashes", command: "migrate")
        }
        guard let shared = try SharedStoreAddress(given, command: "migrate") else {
            throw .usage("migrate needs --store; a store in a file migrates by itself", command: "migrate")
        }
        do throws(JobStoreError) {
            let version = try PostgresDatabase.migrate(
                shared.connection, schema: shared.schema, options: shared.options)
            if JSONOutput.isWanted(given) {
                return JSONOutput.text([
                    ("schema", .string(shared.schema)), ("version", .number(JSONNumber(Int64(version)))),
                ])
            }
            return "The schema \(shared.schema) has version \(version).\n"
        } catch {
            throw CommandFailure(error)
        }
    }
}
