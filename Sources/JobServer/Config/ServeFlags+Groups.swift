import Commands

extension ServeFlags {
    /// The flags that most servers need, in the order of the short help.
    static let common = [
        "config", "host", "port", "data", "store", "token-file", "secret-key-file", "tls-cert", "tls-key",
        "egress-allow", "concurrency", "log-level",
    ]

    /// All flags by subject, each with its default or an example, as `jobserver config example` shows them.
    static let groups = [
        FlagGroup(
            "Listen",
            [
                ("config", "/etc/jobserver/jobserver.conf"), ("host", "127.0.0.1"), ("port", "8080"),
                ("public-listen", "0.0.0.0:8443"), ("public-url", "https://jobs.example.com"),
                ("host-name", "jobs.example.com"),
                ("tls-cert", "/etc/jobserver/cert.pem"),
                ("tls-key", "/etc/jobserver/key.pem"), ("trusted-proxy", "127.0.0.1"),
                ("proxy-fields", "x-forwarded"), ("user-header", "X-Forwarded-User"),
                ("path-prefix", "/jobs"),
                ("page", "full"), ("page-dir", "Sources/Page"), ("http-loops", "2"),
                ("advertise", "http://jobs-1.example:8080"), ("port-file", "/run/jobserver/port"),
            ]),
        FlagGroup(
            "Store",
            [
                ("data", "./data"), ("sync", "full"), ("check", "auto"), ("disk-reserve", "256MiB"),
                ("store", "postgres://db.example/jobs"), ("schema", "jobserver"), ("behind-pooler", "false"),
                ("migrate", "on"), ("lease", "15s"), ("artifacts", "s3://results/jobs"),
                ("s3-endpoint", "https://s3.example.com"), ("s3-region", "us-east-1"),
                ("s3-path-style", "on"),
                ("s3-credentials", "/etc/jobserver/s3"),
            ]),
        FlagGroup(
            "Security",
            [
                ("token-file", "/etc/jobserver/tokens"), ("secret-key-file", "/etc/jobserver/secret.key"),
                ("egress-allow", "10.1.0.0/16"), ("egress-connections", "10.2.0.0/16"),
            ]),
        FlagGroup(
            "Limits",
            [
                ("concurrency", "256"), ("origin-guards", "all"), ("connections", "10000"),
                ("connections-per-client", "1000"), ("max-artifact", "10GiB"), ("write-queue", "10000"),
                ("write-delay", "1s"), ("backlog", "10m"),
                ("tenant-limits", "*:rate=10/s,unfinished=1000,artifacts=10GiB"), ("drain-timeout", "30s"),
            ]),
        FlagGroup(
            "Observability",
            [("log-level", "info"), ("access-log", "false"), ("trace-relation", "auto")]),
    ]

    /// A configuration file with every setting, each in a comment with its default or an example.
    static var example: String {
        var text = """
            # Settings of jobserver serve: the name of a flag without its dashes, and its value. Each line below is a comment
            # with the default, or with an example where the default is none. Check a change with: jobserver config check FILE

            """
        for group in groups {
            text += "\n# \(group.title)\n"
            for (name, example) in group.members where name != ConfigFile.flag.name {
                guard let flag = all.first(where: { $0.name == name }) else { continue }
                let help = flag.help.split(separator: "\n").map { "# \($0)\n" }.joined()
                text += "\n\(help)#\(name) = \(example)\n"
            }
        }
        return text
    }
}
