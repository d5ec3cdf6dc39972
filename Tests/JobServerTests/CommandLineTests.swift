import Commands
import ContentFiles
import FoundationEssentials
import HTTPMessage
import JobClient
import Testing

@testable import JobServer

@Suite struct `The command line` {
    private func config(_ words: String..., environment: [String: String] = [:]) throws -> ServerConfig {
        try ServeFlags.config(words, environment: environment)
    }

    private func refusal(_ words: String...) -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try ServeFlags.config(words, environment: [:])
            return nil
        } catch { return error }
    }

    @Test func `has a default for everything`() throws {
        let config = try config()
        #expect(config.host == "127.0.0.1")
        #expect(config.port == 8080)
        #expect(config.dataDirectory == "data")
        #expect(config.sync == .full)
        #expect(config.concurrency == 256)
        #expect(config.drainTimeout == .seconds(30))
        #expect(config.isLoopback)
    }

    @Test func `accepts values after a space or an equals sign`() throws {
        let config = try config(
            "--port=0", "--data", "/tmp/x", "--egress-allow", "127.0.0.0/8", "--egress-allow=10.0.0.0/8",
            "--sync",
            "normal", "--drain-timeout", "2m", "--log-level", "debug")
        #expect(config.port == 0)
        #expect(config.dataDirectory == "/tmp/x")
        #expect(config.egressAllow.map(\.description) == ["127.0.0.0/8", "10.0.0.0/8"])
        #expect(config.sync == .normal)
        #expect(config.drainTimeout == .seconds(120))
        #expect(config.logLevel == .debug)
    }

    @Test func `takes times with their unit`() throws {
        let config = try config("--backlog", "30s", "--write-delay=250ms", "--drain-timeout", "90")
        #expect(config.backlog == .seconds(30))
        #expect(config.writeDelay == .milliseconds(250))
        #expect(config.drainTimeout == .seconds(90))
        #expect(refusal("--write-delay", "5ms")?.text.contains("10ms to 1m") == true)
        #expect(refusal("--backlog", "2h")?.text.contains("100ms to 1h") == true)
    }

    @Test func `takes the reserve of the disk as a size`() throws {
        #expect(try config().diskReserve.size == .standard)
        #expect(try config("--disk-reserve", "1GiB").diskReserve.size == .bytes(1 << 30))
        #expect(try config("--disk-reserve=0").diskReserve.size == .bytes(0))
        for text in ["5%", "1 GiB", "-1", "9000000TiB"] {
            #expect(refusal("--disk-reserve", text)?.text.contains("such as 256MiB") == true, "\(text)")
        }
    }

    @Test func `reads the secrets' key file, and the ranges of connections`() throws {
        let config = try config(
            "--secret-key-file", "/etc/key", "--egress-connections", "10.1.0.0/16",
            "--egress-connections=fd00::/8")
        #expect(config.secretKeyFile == "/etc/key")
        #expect(config.egressConnections.map(\.description) == ["10.1.0.0/16", "fd00::/8"])
        #expect(config.egressAllow == [])
        #expect(refusal("--egress-connections", "10.1")?.text.contains("--egress-connections 10.1") == true)
    }

    @Test func `takes the ways of a shared store only with one`() throws {
        let address = ["--store", "postgres://jobs.example/jobs"]
        #expect(try ServeFlags.config(address, environment: [:]).store?.lease == .seconds(15))
        let store = try ServeFlags.config(address + ["--lease", "2s", "--behind-pooler"], environment: [:])
            .store
        #expect(store?.lease == .seconds(2))
        #expect(store?.isPooled == true)
        #expect(refusal("--lease", "2s")?.text.contains("--lease needs --store") == true)
        #expect(refusal("--behind-pooler")?.text.contains("--behind-pooler needs --store") == true)
    }

    @Test func `takes the environment where no flag is given`() throws {
        let environment = [
            "JOBSERVER_PORT": "9000", "JOBSERVER_DATA": "d", "JOBSERVER_EGRESS_ALLOW": "10.0.0.0/8,fd00::/8",
        ]
        let config = try config("--data", "flag", environment: environment)
        #expect(config.port == 9_000)
        #expect(config.dataDirectory == "flag")
        #expect(config.egressAllow.map(\.description) == ["10.0.0.0/8", "fd00::/8"])
    }

    @Test func `names the variable that has a wrong value`() {
        #expect {
            try config(environment: ["JOBSERVER_SYNC": "often"])
        } throws: { error in
            (error as? CommandFailure)?.text.hasPrefix("JOBSERVER_SYNC=often: expected full or normal.")
                == true
        }
    }

    @Test func `suggests the nearest of a few words`() {
        #expect {
            try config("--log-level", "waring")
        } throws: { error in
            (error as? CommandFailure)?.text.contains(". Did you mean warning?") == true
        }
    }

    @Test func `ignores the variables that Kubernetes sets for a service of its name`() throws {
        let environment = [
            "JOBSERVER_PORT": "tcp://10.0.0.1:8080", "JOBSERVER_PORT_8080_TCP": "tcp://10.0.0.1:8080",
            "JOBSERVER_PORT_8080_TCP_PORT": "8080", "JOBSERVER_SERVICE_HOST": "10.0.0.1",
            "JOBSERVER_SERVICE_PORT": "8080",
        ]
        #expect(try config(environment: environment).port == 8_080)
        #expect(Arguments.misspelt(in: environment, flags: ServeFlags.all).isEmpty)
    }

    @Test func `tells all that is wrong with a configuration, once each`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).conf").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let text = """
            prot = 1
            port = 99999
            host-name = http://a
            host-name = b.example
            host-name = c/d
            log-level = loud
            store = mysql://a
            artifacts = /srv/artifacts
            tls-cert = /no/cert
            token-file = /no/tokens
            """
        try Data(text.utf8).write(to: URL(filePath: path))
        var problems: [String] = []
        do throws(CommandFailure) { _ = try ConfigCommand.run(["check", path], environment: [:]) } catch {
            #expect(error.code == .configuration)
            problems = error.text.split(separator: "\n").map(String.init)
        }
        let parts = [
            ":1: there is no setting \"prot\"", "host-name = http://a", "host-name = c/d", "store",
            "port = 99999",
            "log-level = loud", "--tls-cert and --tls-key", "no token file at /no/tokens",
        ]
        #expect(problems.count == parts.count, "\(problems)")
        for part in parts { #expect(problems.count { $0.contains(part) } == 1, "\(part): \(problems)") }
    }

    @Test func `finds variables that are misspelt`() {
        let environment = [
            "JOBSERVER_PROT": "1", "JOBSERVER_PORT": "1", "PATH": "/bin", "JOBSERVER_COLOUR": "1",
        ]
        let found = CommandTable.misspelt(in: environment)
        #expect(found.map(\.name) == ["JOBSERVER_PROT"])
        #expect(found.map(\.meant) == ["JOBSERVER_PORT"])
    }

    @Test func `leaves the variables of the commands for jobs alone`() {
        let environment = [
            "JOBSERVER_URL": "http://a.example", "JOBSERVER_TOKEN": "t", "JOBSERVER_CACERT": "c",
        ]
        #expect(CommandTable.misspelt(in: environment).isEmpty)
    }

    @Test func `takes a configuration file below flags and variables`() throws {
        let text = """
            # comment
            port = 1
              data=/srv/a = b

            egress-allow = 10.0.0.0/8
            egress-allow = fd00::/8
            access-log = true
            log-level = often
            """
        let file = try ConfigFile(text, path: "c.conf", flags: ServeFlags.all)
        #expect(file.settings.map(\.line) == [2, 3, 5, 6, 7, 8])
        var given = try Arguments(
            ["--port", "3"], flags: ServeFlags.all, environment: ["JOBSERVER_LOG_LEVEL": "debug"],
            command: "serve")
        given.fill(from: file, flags: ServeFlags.all)
        let config = try ServeFlags.config(given, environment: [:])
        #expect(config.port == 3)
        #expect(config.dataDirectory == "/srv/a = b")
        #expect(config.egressAllow.count == 2)
        #expect(config.logsAccess)
        #expect(config.logLevel == .debug)
        var wrong = try Arguments([], flags: ServeFlags.all, command: "serve")
        wrong.fill(from: file, flags: ServeFlags.all)
        #expect {
            try ServeFlags.config(wrong, environment: [:])
        } throws: { error in
            (error as? CommandFailure)?.text.hasPrefix("c.conf:8: log-level = often: expected one of") == true
        }
    }

    @Test func `reports everything that is wrong in a configuration file`() {
        #expect {
            try ConfigFile(
                "prot = 1\nport = 1\nport = 2\nnonsense\ndata =\n", path: "c.conf", flags: ServeFlags.all)
        } throws: { error in
            let text = (error as? CommandFailure)?.text ?? ""
            return text == """
                c.conf:1: there is no setting "prot". Did you mean port?
                c.conf:3: port is there already, in line 2
                c.conf:4: expected name = value
                c.conf:5: data has no value; remove the line for the default
                """
        }
    }

    @Test func `suggests the flag that was meant`() {
        #expect(refusal("--prot", "1")?.text.contains("Did you mean --port?") == true)
        #expect(refusal("--nothing-like-it")?.text.contains("Did you mean") == false)
    }

    @Test(arguments: [
        ["--port"], ["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--port", "1", "--port", "2"],
        ["--sync", "often"], ["--drain-timeout", "soon"], ["--drain-timeout", "2h"], ["--concurrency", "0"],
        ["--tls-cert", "c.pem"], ["extra"], ["-p"],
    ])
    func `explains an error and points to the help`(words: [String]) {
        #expect {
            try ServeFlags.config(words, environment: [:])
        } throws: { error in
            guard let failure = error as? CommandFailure else { return false }
            return failure.code == .usage && failure.text.contains("jobserver serve --help")
        }
    }

    @Test func `describes every flag in the help`() {
        for command in CommandTable.all {
            let help = HelpText.text(of: command)
            for flag in command.flags { #expect(help.contains("--\(flag.name)"), "\(flag.name)") }
        }
    }

    @Test func `has each flag of the server in one group, and few in the short help`() throws {
        let grouped = ServeFlags.groups.flatMap(\.members).map(\.name)
        #expect(grouped.sorted() == ServeFlags.all.map(\.name).sorted())
        let serve = try #require(CommandTable.command("serve"))
        let short = HelpText.text(of: serve, isWhole: false)
        let shown = short.split(separator: "\n").filter { $0.hasPrefix("  --") }
        #expect(shown.count == ServeFlags.common.count)
        #expect(short.contains("jobserver serve --help all"))
    }

    @Test func `has an example of a configuration whose every setting is valid`() throws {
        let example = try ConfigCommand.run(["example"], environment: [:])
        let settings = example.split(separator: "\n").filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") }
        #expect(settings.count == ServeFlags.all.count - 1)
        // That file is read at once.
        let text = settings.filter { !$0.hasPrefix("#s3-credentials") }.map { $0.dropFirst() }.joined(
            separator: "\n")
        let file = try ConfigFile(text, path: "example.conf", flags: ServeFlags.all)
        var given = try Arguments([], flags: ServeFlags.all, command: "serve")
        given.fill(from: file, flags: ServeFlags.all)
        let keys = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]
        let config = try ServeFlags.config(given, environment: keys)
        #expect(config.port == ServerConfig().port)
        #expect(config.concurrency == ServerConfig().concurrency)
        #expect(config.drainTimeout == ServerConfig().drainTimeout)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.9.9", true), ("localhost", true), ("::1", true), ("0.0.0.0", false),
        ("192.168.1.1", false), ("::", false), ("example.com", false),
    ])
    func `knows which addresses stay on this machine`(host: String, stays: Bool) {
        var config = ServerConfig()
        config.host = host
        #expect(config.isLoopback == stays)
    }

    @Test func `prints a URL that works`() {
        var config = ServerConfig()
        #expect(config.url(port: 5) == "http://127.0.0.1:5")
        config.host = "::1"
        #expect(config.url(port: 5) == "http://[::1]:5")
        config.host = "0.0.0.0"
        config.tlsCertificate = "c"
        #expect(config.url(port: 5) == "https://127.0.0.1:5")
    }

    @Test func `shows the line of a place in a document`() {
        let text = """
            {
              "type": "group",
              "operations": [
                { "type": "delay" },
                { "name": "a/b",
                  "x~y": [1,
                          {"deep": "q\\"}"}] }
              ]
            }
            """
        let lines = SpecLines(Array(text.utf8))
        #expect(lines.line(of: "") == 1)
        #expect(lines.line(of: "/type") == 2)
        #expect(lines.line(of: "/operations/0/type") == 4)
        #expect(lines.line(of: "/operations/1/name") == 5)
        #expect(lines.line(of: "/operations/1/x~0y/1/deep") == 7)
        #expect(lines.line(of: "/operations/1/missing") == 5)
        #expect(lines.line(of: "/nowhere/at/all") == 1)
    }
}
