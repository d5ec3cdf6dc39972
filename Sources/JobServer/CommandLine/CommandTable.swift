import Commands
import JobClient
import StrictJSON

/// The commands of the program: help, completion and the manual page are made from them.
enum CommandTable {
    static let all: [Command] = serverCommands + JobClient.commands + programCommands

    /// The command with a name.
    static func command(_ name: String) -> Command? { all.first { $0.name == name } }

    /// The command closest to a mistyped word.
    static func nearest(to word: String) -> String? {
        SpellingSuggestion.nearest(to: word, in: all.map(\.name) + ["help"])
    }

    /// Environment variables that resemble those of `serve` but set nothing, each with the closest variable.
    static func misspelt(in environment: [String: String]) -> [(name: String, meant: String)] {
        Arguments.misspelt(in: environment, flags: ServeFlags.all, others: all.flatMap(\.flags))
    }

    /// `jobserver --help`
    static var overview: String {
        """
        jobserver runs HTTP work durably: submit a job as JSON with curl, read its result by its id.

        usage: jobserver COMMAND [FLAGS]

        \(HelpText.list(all))
        Two minutes to the first result:

          jobserver serve
          curl --json '{"type": "delay", "for": "1s"}' -H 'Prefer: wait=5' http://127.0.0.1:8080/v1/jobs

        A call, and its answer by the job's id:

          curl --json '{"type": "network", "request": "https://example.com/"}' http://127.0.0.1:8080/v1/jobs
          curl -H 'Prefer: wait=30' http://127.0.0.1:8080/v1/jobs/job_…
          curl http://127.0.0.1:8080/v1/jobs/job_…/result

        The same from this program, which also waits for a server that restarts:

          jobserver run -- curl https://example.com/

        The commands for jobs take the server from JOBSERVER_URL and its token from JOBSERVER_TOKEN.
        jobserver COMMAND --help shows the flags. Exit codes: 0 success, 1 the command or the job failed,
        2 invalid command line or no such file, 3 unusable configuration, 4 address not available, 5 unusable data directory,
        6 the database cannot be reached, 10 no server there, 11 the job has not ended, 12 some of many failed.

        """
    }

    private static let serverCommands = [
        Command(
            "serve", in: .server, "start the server", usage: ["serve [FLAGS]"],
            text: """
                Starts the server. It runs until SIGTERM or SIGINT, then finishes or suspends running jobs and exits 0;
                a second signal ends it at once. SIGHUP reloads the token file and the certificate.
                """,
            flags: ServeFlags.all,
            notes: """
                Each flag can also be set by an environment variable: --data by JOBSERVER_DATA, --egress-allow by
                JOBSERVER_EGRESS_ALLOW (with commas between).
                """,
            examples: [
                "jobserver serve                                     this machine only, port 8080, ./data",
                "jobserver serve --port 0 --data /tmp/try            a free port, printed at the start",
                "jobserver serve --egress-allow 127.0.0.0/8          jobs may call services on this machine",
                "jobserver token create --token-file tokens --name ops",
                "jobserver serve --host 0.0.0.0 --token-file tokens --tls-cert cert.pem --tls-key key.pem",
            ]
        ).grouped(ServeFlags.groups, common: ServeFlags.common, page: "jobserver-serve"),
        Command(
            "config", "check|example", in: .server, "check a configuration, or print one with all settings",
            usage: ["config check FILE [FLAGS]", "config check [FLAGS]", "config example"],
            text: """
                check: checks a configuration file with the flags and variables of jobserver serve, and the files that they
                name, without starting the server. Prints the effective settings with their sources and exits 0, or prints
                all problems and exits 3.
                example: prints a file with all settings, each in a comment with its default.
                """,
            flags: ServeFlags.all + [JSONOutput.flag],
            notes: """
                A file has a line name = value for each flag of jobserver serve, without the dashes; a repeatable one may
                have several. Lines that begin with # are skipped. Flags win over variables, and variables over the file.
                """,
            examples: [
                "jobserver config example > jobserver.conf", "jobserver config check jobserver.conf",
            ], completes: .verbs(["check", "example"])
        ).grouped(
            ServeFlags.groups + [FlagGroup("Output", [(JSONOutput.flag.name, "")])],
            common: [ConfigFile.flag.name, JSONOutput.flag.name], page: "jobserver-serve"),
        Command(
            "token", "create|list|revoke", in: .server, "make, list or remove access tokens",
            usage: [
                "token create --token-file FILE --name NAME [--scope read|submit|write|admin] [--tenant NAME] [--expires TIME]",
                "token list   --token-file FILE", "token revoke --token-file FILE --name NAME",
            ],
            text: """
                Manages the token file: one line per token with its name, SHA-256 digest, scopes and expiry. A running
                server picks up changes by itself.
                """,
            flags: TokenCommand.flags,
            notes: "create prints the token once, alone on its line. It cannot be shown again: keep it.",
            examples: [
                "token=$(jobserver token create --token-file tokens --name ci)",
                #"curl -H "Authorization: Bearer $token" http://127.0.0.1:8080/v1/jobs"#,
            ], completes: .words(["create", "list", "revoke"])),
        Command(
            "backup", "DIRECTORY", in: .server, "copy everything into a new data directory",
            usage: ["backup DIRECTORY [FLAGS]"],
            text: """
                Copies a consistent snapshot of all data into a new data directory that a server can start from. The
                server may run meanwhile. The copy is verified, and only then gets its name; nothing is overwritten. Jobs
                that were running resume from their last durable step when a server starts from the copy. Content files
                are linked instead of copied where the file system can.
                """,
            flags: BackupCommand.flags,
            examples: [
                "jobserver backup --data /var/lib/jobserver /backup/jobs-$(date +%F)",
                "jobserver serve --data /backup/jobs-2026-11-21 --secret-key-file /etc/jobserver.key",
            ], completes: .files),
        Command(
            "doctor", in: .server, "check data directory, disk and store, and say what to do",
            usage: ["doctor [--data DIR]", "doctor --store URL [--schema NAME]"],
            text: """
                Checks the data directory, the disk and the store, with the server running or not. With --store it checks
                the PostgreSQL instead: version, settings, standbys, clock, and what keeps its tables from being cleaned.
                Prints its findings with their remedies; exits 1 when something needs action, else 0.
                """,
            flags: DoctorCommand.flags),
        Command(
            "forget-secrets", in: .server, "remove secrets whose key is lost, and make a new key",
            usage: [
                "forget-secrets [--data DIR] [--yes]", "forget-secrets --store URL [--schema NAME] [--yes]",
            ],
            text: """
                Lists the secrets that cannot be opened, with the key file or because there is none, and the connections,
                templates, schedules and unfinished jobs that refer to them. With --yes it removes these secrets, keeps
                everything else, and makes a key file where there is none: the server starts again. Stop all servers first.
                """,
            flags: SecretsCommand.flags,
            notes: "Nothing is removed that the key file opens: give the right one with --secret-key-file.",
            examples: ["jobserver forget-secrets --data /var/lib/jobserver"]),
        Command(
            "migrate", in: .server, "make or update the schema of a store in a PostgreSQL",
            usage: ["migrate --store URL [--schema NAME] [--behind-pooler]"],
            text: """
                Makes the schema of a store in a PostgreSQL, or brings it to the version of this program. Several may run
                at once. jobserver serve does the same at its start, unless --migrate off.
                """,
            flags: MigrateCommand.flags),
        Command(
            "copy", in: .server, "copy a whole store from a data directory into a PostgreSQL, or back",
            usage: [
                "copy --from DIR --to postgres://host/name --artifacts PLACE",
                "copy --from postgres://host/name --to DIR --artifacts PLACE",
            ],
            text: """
                Copies a whole store at rest into an empty one: from a data directory into a PostgreSQL that several
                servers may share, or back. Jobs, waiting, running or finished, with their history, results and artifacts,
                keys, queues, schedules, templates, secrets, approvals: everything is taken along, counted, and compared.
                Jobs that were running begin again as after a crash. Stop all servers first, and start none on the source
                afterwards: its jobs would run twice.
                """,
            flags: CopyCommand.flags,
            notes: """
                Progress is shown on standard error. No server opens a copy that was interrupted; --restart begins it
                anew.
                """,
            examples: [
                "jobserver copy --from /var/lib/jobserver --to postgres://db/jobs --artifacts s3://results/jobs",
                "jobserver serve --store postgres://db/jobs --artifacts s3://results/jobs "
                    + "--secret-key-file /var/lib/jobserver/secret.key",
            ]),
    ]

    private static let programCommands = [
        Command(
            "check", "FILE|-", in: .jobs, "check a job spec without a server, and print the plan",
            usage: ["check FILE [FLAGS]", "check - [FLAGS]"],
            text: """
                Checks a job spec as the server would, without running it. Prints the plan and exits 0, or prints every
                problem with its line and exits 1. A file that ends in .yaml or .yml is YAML, and one that ends in .sh has
                curl command lines.
                """, flags: CheckCommand.flags, completes: .files),
        Command(
            "curl", "'curl …'", in: .jobs, "translate a curl command line to a job spec",
            usage: [#"curl 'curl -H "Accept: application/json" https://example.com/'"#, "curl -"],
            text: """
                Translates a curl command line to a job spec, or prints every reason why that is impossible. The line is
                one argument, so put it in quotes; - reads it from standard input. Options that have no effect on a job
                are listed on standard error.
                """),
        Command(
            "completion", "bash|zsh|fish", in: .program, "print the completion script of a shell",
            usage: ["completion bash|zsh|fish"],
            text: "Prints a script that lets a shell complete commands and flags.",
            examples: [
                "source <(jobserver completion bash)", "jobserver completion zsh > ~/.zfunc/_jobserver",
                "jobserver completion fish > ~/.config/fish/completions/jobserver.fish",
            ], completes: .words(ShellCompletion.allCases.map(\.rawValue))),
        Command(
            "man", "[serve|spec]", in: .program, "print a manual page",
            usage: ["man", "man serve", "man spec"],
            text: """
                Prints a manual page: jobserver(1), with all commands; serve is jobserver-serve(1), with the flags of the
                server; spec is jobserver-spec(5), with all members of a job spec.
                """,
            examples: ["jobserver man | man -l -", "jobserver man spec | man -l -"],
            completes: .words(["serve", "spec"])),
        Command(
            "version", in: .program, "print version, commit and date", usage: ["version [--json]"],
            text: "Prints the version of the program, and the commit and the date of its build.",
            flags: VersionCommand.flags),
    ]
}
