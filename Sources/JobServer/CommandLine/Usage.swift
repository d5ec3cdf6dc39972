enum Usage {
    /// `jobserver --help`
    static let overview = """
        jobserver runs HTTP work durably: submit a job as JSON with curl, read its result by its id.

        usage: jobserver COMMAND [FLAGS]

          serve                start the server
          check FILE|-         check a job spec without running it, and print the plan
          curl 'curl …'        translate a curl command line to a job spec
          token create         make an access token and add its digest to the token file
          token list           list the names in the token file
          token revoke         remove a token from the token file
          backup DIRECTORY     copy everything into a new data directory, while the server runs or not
          doctor               check data directory, disk and store, and say what to do
          migrate              make or update the schema of a store in a PostgreSQL
          version              print the version

        Two minutes to the first result:

          jobserver serve
          curl --json '{"type": "delay", "for": "1s"}' -H 'Prefer: wait=5' http://127.0.0.1:8080/v1/jobs

        A call, and its answer by the job's id:

          curl --json '{"type": "network", "request": "https://example.com/"}' http://127.0.0.1:8080/v1/jobs
          curl -H 'Prefer: wait=30' http://127.0.0.1:8080/v1/jobs/job_…
          curl http://127.0.0.1:8080/v1/jobs/job_…/result

        jobserver COMMAND --help shows the flags. Exit codes: 0 success, 1 the command failed,
        2 invalid command line, 3 unusable configuration, 4 address not available, 5 unusable data directory.

        """

    /// `jobserver serve --help`
    static var serve: String {
        """
        Starts the server. It runs until SIGTERM or SIGINT, then finishes or suspends running jobs and exits 0;
        a second signal ends it at once. SIGHUP reloads the token file and the certificate.

        usage: jobserver serve [FLAGS]

        \(list(ServeFlags.all))
        Each flag can also be set by an environment variable: --data by JOBSERVER_DATA, --egress-allow by
        JOBSERVER_EGRESS_ALLOW (with commas between).

        examples:
          jobserver serve                                     this machine only, port 8080, ./data
          jobserver serve --port 0 --data /tmp/try            a free port, printed at the start
          jobserver serve --egress-allow 127.0.0.0/8          jobs may call services on this machine
          jobserver token create --token-file tokens --name ops
          jobserver serve --host 0.0.0.0 --token-file tokens --tls-cert cert.pem --tls-key key.pem

        """
    }

    /// `jobserver check --help`
    static let check = """
        Checks a job spec as the server would, without running it. Prints the plan and exits 0, or prints every
        problem with its line and exits 1. A file that ends in .sh is read as curl command lines.

        usage: jobserver check FILE      or: … | jobserver check -

        """

    /// `jobserver curl --help`
    static let curl = """
        Translates a curl command line to a job spec, or prints every reason why that is impossible. The line is one
        argument, so put it in quotes; - reads it from standard input. Options that have no effect on a job are listed
        on standard error.

        usage: jobserver curl 'curl -H "Accept: application/json" https://example.com/'
               … | jobserver curl -

        """

    /// `jobserver token --help`
    static var token: String {
        """
        Manages the token file: one line per token with its name, SHA-256 digest and scopes. A running server
        picks up changes by itself.

        usage: jobserver token create --token-file FILE --name NAME [--scope read|write|admin]
               jobserver token list   --token-file FILE
               jobserver token revoke --token-file FILE --name NAME

        \(list(TokenCommand.flags))
        create prints the token once, alone on its line. It cannot be shown again: keep it.

        example:
          token=$(jobserver token create --token-file tokens --name ci)
          curl -H "Authorization: Bearer $token" http://127.0.0.1:8080/v1/jobs

        """
    }

    /// `jobserver backup --help`
    static var backup: String {
        """
        Copies a consistent snapshot of all data into a new data directory that a server can start from. The server
        may run meanwhile. The copy is verified, and only then gets its name; nothing is overwritten. Jobs that were
        running resume from their last durable step when a server starts from the copy. Content files are linked
        instead of copied where the file system can.

        usage: jobserver backup DIRECTORY [FLAGS]

        \(list(flags: BackupCommand.flags))
        example:
          jobserver backup --data /var/lib/jobserver /backup/jobs-$(date +%F)
          jobserver serve --data /backup/jobs-2026-11-21 --secret-key-file /etc/jobserver.key

        """
    }

    /// `jobserver doctor --help`
    static var doctor: String {
        """
        Checks the data directory, the disk and the store, with the server running or not. With --store it checks the
        PostgreSQL instead: version, settings, standbys, clock, and what keeps its tables from being cleaned. Prints its
        findings with their remedies; exits 1 when something needs action, else 0.

        usage: jobserver doctor [--data DIR]
               jobserver doctor --store URL [--schema NAME]

        \(list(flags: DoctorCommand.flags))
        """
    }

    /// `jobserver migrate --help`
    static var migrate: String {
        """
        Makes the schema of a store in a PostgreSQL, or brings it to the version of this program. Several may run at
        once. jobserver serve does the same at its start, unless --migrate off.

        usage: jobserver migrate --store URL [--schema NAME] [--behind-pooler]

        \(list(flags: MigrateCommand.flags))
        """
    }

    private static func list(flags: [Flag]) -> String { list(flags) }

    private static func list(_ flags: [Flag]) -> String {
        let heads = flags.map { "  --\($0.name) \($0.value ?? "")" }
        let width = (heads.map(\.count).max() ?? 0) + 2
        var text = ""
        for (head, flag) in zip(heads, flags) {
            let lines = flag.help.split(separator: "\n")
            text += head + String(repeating: " ", count: width - head.count) + (lines.first ?? "") + "\n"
            for line in lines.dropFirst() { text += String(repeating: " ", count: width) + line + "\n" }
        }
        return text
    }
}
