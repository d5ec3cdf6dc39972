import Commands
import JobKit
import JobSpec
import StrictJSON

/// `jobserver token`: manages the token file.
enum TokenCommand {
    /// The flags common to all actions.
    static let flags: [Flag] = [
        Flag(name: "token-file", value: "FILE", help: "the token file; created when missing"),
        Flag(
            name: "name", value: "NAME", help: "the token's name: letters, digits, '.', '_', '-'",
            hasVariable: false),
        Flag(
            name: "scope", value: "read|submit|write|admin",
            help: "a scope of the token; repeatable, default all",
            isRepeatable: true,
            hasVariable: false),
        Flag(
            name: "tenant", value: "NAME",
            help: "the team to which the token belongs, which sees only its own jobs and names; default\n"
                + "none: the token sees everything", hasVariable: false),
        Flag(
            name: "expires", value: "TIME",
            help: "when the token ends: after a time such as 24h or 90d, or at 2027-01-01T00:00:00Z;\n"
                + "default never", hasVariable: false),
        JSONOutput.flag,
    ]

    /// Runs one action and returns the text for standard output.
    static func run(
        _ arguments: some Sequence<String>, environment: [String: String]
    ) throws(CommandFailure) -> String {
        let given = try Arguments(arguments, flags: flags, environment: environment, command: "token")
        guard given.words.count <= 1 else {
            throw .usage("\"\(given.words[1])\" is not expected here", command: "token")
        }
        guard let path = given.value("token-file") else {
            throw .usage("--token-file FILE is missing", command: "token")
        }
        let file = TokenFile(path: path)
        do throws(TokenFileError) {
            switch given.words.first {
            case "create": return try create(given, file)
            case "list": return try list(file, isJSON: JSONOutput.isWanted(given))
            case "revoke": return try revoke(given, file)
            default: break
            }
        } catch {
            throw CommandFailure(code: error.isMissing ? .usage : .failure, text: error.description)
        }
        throw .usage("Say what to do: token create, token list or token revoke", command: "token")
    }

    private static func create(_ given: Arguments, _ file: TokenFile) throws(TokenFileError) -> String {
        let name = try name(given)
        let token = BearerToken()
        var entry = TokenEntry(name: name, digest: token.digest)
        let scopes = given.all("scope")
        if !scopes.isEmpty {
            entry.scopes = []
            for word in scopes {
                guard let scope = AccessScope(rawValue: word) else {
                    throw TokenFileError("\"\(word)\" is not a scope; the scopes are \(AccessScope.list).")
                }
                entry.scopes.insert(scope)
            }
        }
        if let tenant = given.value("tenant") {
            guard JobSpecReader.isName(tenant) else {
                throw TokenFileError(
                    "\"\(tenant)\" cannot be a tenant: a to z, 0 to 9, _ and -, beginning with a letter, 63 at most."
                )
            }
            entry.tenant = tenant
        }
        if let text = given.value("expires") { entry.expiresAt = try end(text, now: SystemTime.now()) }
        let made = entry
        try file.change { entries throws(TokenFileError) in
            guard !entries.contains(where: { $0.name == name }) else {
                throw TokenFileError(
                    "A token \"\(name)\" exists already. Revoke it first, or choose another name.")
            }
            entries.append(made)
        }
        guard JSONOutput.isWanted(given) else { return token.text + "\n" }
        return JSONOutput.text([("name", .string(name)), ("token", .string(token.text))])
    }

    /// The end of a token, given as a date or as a time from now.
    private static func end(_ text: String, now: Timestamp) throws(TokenFileError) -> Timestamp {
        let end =
            if let date = try? Timestamp.parse(text) {
                date
            } else if let time = try? DurationText.parse(text) {
                now.advanced(by: time)
            } else {
                throw TokenFileError(
                    "\"\(text)\" is neither a time such as 24h or 90d nor a date such as 2027-01-01T00:00:00Z."
                )
            }
        guard end > now else { throw TokenFileError("The token would have expired already at \(end).") }
        return end
    }

    private static func list(_ file: TokenFile, isJSON: Bool) throws(TokenFileError) -> String {
        let now = SystemTime.now()
        if isJSON {
            return try file.read().map { entry in
                JSONOutput.text([
                    ("name", .string(entry.name)),
                    ("scopes", .array(entry.permitted.map { .string($0.rawValue) })),
                    ("tenant", entry.tenant.map { .string($0) }),
                    ("expires_at", entry.expiresAt.map { .string($0.description) }),
                ])
            }.joined()
        }
        return try file.read().map { entry in
            var columns = [entry.name, entry.permitted.map(\.rawValue).joined(separator: ",")]
            if let tenant = entry.tenant { columns.append("tenant \(tenant)") }
            if let end = entry.expiresAt { columns.append("\(end <= now ? "expired" : "expires") \(end)") }
            return columns.joined(separator: "\t") + "\n"
        }.joined()
    }

    private static func revoke(_ given: Arguments, _ file: TokenFile) throws(TokenFileError) -> String {
        let name = try name(given)
        // First, so that no lock is made beside a file that is not there.
        _ = try file.read()
        try file.change { entries throws(TokenFileError) in
            let left = entries.filter { $0.name != name }
            guard left.count < entries.count else {
                throw TokenFileError("There is no token \"\(name)\" in \(file.path).")
            }
            entries = left
        }
        return "revoked \(name)\n"
    }

    private static func name(_ given: Arguments) throws(TokenFileError) -> String {
        guard let name = given.value("name") else { throw TokenFileError("--name NAME is missing.") }
        guard TokenEntry.isName(name) else {
            throw TokenFileError(
                "\"\(name)\" cannot be a name: letters, digits, '.', '_' and '-', 63 at most.")
        }
        return name
    }
}
