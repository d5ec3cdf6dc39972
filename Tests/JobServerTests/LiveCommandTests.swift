import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// The commands that are requests of the API, and the names of jobs.
@Suite(.serialized) struct `The commands for resources` {
    private func made(_ server: LiveServer, _ spec: String) throws -> String {
        let ended = try server.client("submit", "-", input: spec)
        #expect(ended.code == 0, "\(ended.errors)")
        return ended.output.trimmingCharacters(in: .newlines)
    }

    private func command(_ words: [String], _ server: LiveServer) throws -> LiveServer.Ended {
        try LiveServer.command(words, environment: ["JOBSERVER_URL": server.url])
    }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = LiveServer.temporaryDirectory().appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test func `name the failed operation, its attempts, the status and the answer`() throws {
        let upstream = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.answer(
                    #"{"error": "invalid_client", "rest": "\#(String(repeating: "ü", count: 300))"}"#,
                    status: "400 Bad Request")
            }
        }
        defer { upstream.stop() }
        let server = try LiveServer()
        let spec = #"""
            {"type": "group", "operations": [{"type": "group", "name": "login", "operations": [
              {"type": "network", "name": "token", "request": "\#(upstream.url("/token"))"}]}]}
            """#
        let ran = try server.client("run", "-", input: spec)
        #expect(ran.code == 1)
        #expect(ran.errors.contains("failed: login/token failed after 1 attempt: HTTP 400 [http.status]"))
        #expect(ran.errors.contains(#"answer: {"error": "invalid_client""#))
        let answer = try #require(ran.errors.split(separator: "\n").first { $0.contains("answer: ") })
        #expect(answer.hasSuffix("…"))
        #expect(answer.utf8.count < 230)
        let id = String(ran.errors.prefix { $0 != " " })
        for command in ["get", "result", "wait"] {
            let shown = try server.client(command, id)
            let text = shown.output + shown.errors
            #expect(text.contains("login/token failed after 1 attempt: HTTP 400"), "\(command)")
            #expect(text.contains("invalid_client"), "\(command)")
            #expect(text.contains("jobserver get \(id) --json"), "\(command)")
        }
        let listed = try server.client("list", "--failed").output
        #expect(listed.contains(" http.status "))
    }

    @Test func `name no operation of a job that is one, and show when a later one begins`() throws {
        let upstream = FaultServer { connection, _ in
            while connection.readRequest() != nil { connection.answer("{}", status: "404 Not Found") }
        }
        defer { upstream.stop() }
        let server = try LiveServer()
        let ran = try server.client(
            "run", "-", input: #"{"type": "network", "request": "\#(upstream.url("/"))"}"#)
        #expect(ran.errors.contains(" failed: HTTP 404 [http.status], after 1 attempt\n"), "\(ran.errors)")
        let id = try made(
            server, #"{"type": "value", "value": 1, "run_at": "2h", "start_by": "3h", "finish_by": "4h"}"#)
        let shown = try server.client("get", id).output
        for name in ["run at    2", "start by  2", "finish by 2"] {
            #expect(shown.contains("\n" + name), "\(shown)")
        }
    }

    @Test func `list the approvals that are open, and with --state all the decided ones`() throws {
        let server = try LiveServer()
        let spec = #"{"type": "value", "value": 1, "conditions": [{"type": "approval", "prompt": "Pay?"}]}"#
        let id = try made(server, spec)
        let latest = Date() + 20
        while try !server.client("approvals").output.contains(id), Date() < latest {}
        let approval = try #require(
            try server.client("approvals", "--json").output.split(separator: "\"").first {
                $0.hasPrefix("apr_")
            })
        #expect(try server.client("approve", String(approval)).code == 0)
        #expect(try !server.client("approvals").output.contains(id))
        #expect(try server.client("approvals", "--state", "all").output.contains(id))
        #expect(try server.client("approvals", "--state", "approved").output.contains(id))
    }

    @Test func `take the beginning of an id, and - for the last job`() throws {
        let server = try LiveServer()
        let state = LiveServer.temporaryDirectory().path
        func command(_ words: String..., input: String? = nil) throws -> LiveServer.Ended {
            try LiveServer.command(
                words, input: input, environment: ["JOBSERVER_URL": server.url, "XDG_STATE_HOME": state])
        }
        #expect(try command("get", "-").code == 1)
        let first = try made(server, #"{"type": "value", "value": 1}"#)
        let id = try command("submit", "-", input: #"{"type": "value", "value": 2}"#)
            .output.trimmingCharacters(in: .newlines)
        #expect(try command("wait", "-").output.hasPrefix("\(id) "))
        #expect(try command("result", "-").output == "2")
        // Two ids of one moment may share more than this.
        let end = zip(id, first).prefix { $0 == $1 }.count + 1
        #expect(try command("get", String(id.prefix(end))).output.contains(id))
        #expect(try command("get", String(id.prefix(end).dropFirst(4))).output.contains(id))
        let several = try command("get", "job_0")
        #expect(several.code == 1)
        #expect(several.errors.contains(id) && several.errors.contains(first))
        let none = try command("get", "job_zzzz")
        #expect(none.code == 1)
        #expect(none.errors.contains("job_zzzz"))
    }

    @Test func `read specs in YAML, and name the line of a problem`() throws {
        let server = try LiveServer()
        let good = try file("job.yaml", "type: value\n# a comment\nvalue: {a: [1, yes]}\n")
        #expect(try server.client("run", good).output == #"{"a":[1,"yes"]}"#)
        let input = try server.client("run", "-", "--format", "yaml", input: "type: value\nvalue: 7\n")
        #expect(input.output == "7")
        #expect(try LiveServer.command(["check", good]).code == 0)
        let wrong = try file("wrong.yaml", "type: delay\nfor: 1s\ntyp: x\n")
        let checked = try LiveServer.command(["check", wrong])
        #expect(checked.code == 1)
        #expect(checked.errors.contains("\(wrong):3: "))
        #expect(try server.client("submit", wrong).errors.contains("\(wrong):3: /typ: "))
        let twice = try file("twice.yml", "type: value\nvalue: 1\nvalue: 2\n")
        for command in ["submit", "run", "check"] {
            let refused = try server.client(command, twice)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("\(twice):3: "), "\(refused.errors)")
        }
        let rows = try file(
            "rows.yaml", "- {type: value, value: 1}\n- {type: value, value: 2}\n- {type: valu}\n")
        let many = try server.client("submit", rows)
        #expect(many.code == 12)
        #expect(many.output.split(separator: "\n").count == 2)
        #expect(many.errors.contains("\(rows):3: "))
    }

    @Test func `change members of what is stored and leave the others`() throws {
        let server = try LiveServer()
        #expect(try server.client("queue", "set", "mail", "concurrency=4", "max_waiting=10").code == 0)
        let changed = try server.client("queue", "set", "mail", "concurrency=5")
        #expect(changed.code == 0, "\(changed.errors)")
        let json = try JSONParser.parse(
            Array(try server.client("queue", "get", "mail", "--json").output.utf8))
        let text = String(decoding: json.encoded(), as: UTF8.self)
        #expect(text.contains(#""concurrency":5"#) && text.contains(#""max_waiting":10"#), "\(text)")
        #expect(try server.client("queue", "set", "mail", "max_waiting=").code == 0)
        #expect(try server.client("queue", "get", "mail").output.contains("max_waiting") == false)
        #expect(try server.client("queue", "list").output.contains("mail"))
        #expect(try server.client("queue", "pause", "mail").output.contains("paused"))
        #expect(try server.client("queue", "resume", "mail").code == 0)
        let wrong = try server.client("queue", "set", "mail", "concurency=1")
        #expect(wrong.code == 1)
        #expect(wrong.errors.contains("concurrency"))
        #expect(try server.client("queue", "delete", "mail").output == "mail deleted\n")
    }

    @Test func `show, change and test connections`() throws {
        let server = try LiveServer()
        let set = try server.client("connection", "set", "self", "base_url=\(server.url)/")
        #expect(set.code == 0, "\(set.errors)")
        let list = try server.client("connection", "list")
        #expect(list.code == 0 && list.output.contains("self"), "\(list.errors)")
        let test = try server.client("connection", "test", "self", "--call", "\(server.url)/healthz")
        #expect(test.code == 0, "\(test.errors)")
        #expect(try server.client("connection", "delete", "self").code == 0)
    }

    @Test func `store a secret from standard input and show nothing of it`() throws {
        let server = try LiveServer()
        let stored = try server.client("secret", "set", "crm", input: "s3cr3t-of-ours\n")
        #expect(stored.code == 0, "\(stored.errors)")
        let seen = try server.client("secret", "get", "crm").output + server.client("secret", "list").output
        #expect(seen.contains("crm") && !seen.contains("s3cr3t"))
        let same = try server.client("secret", "set", "crm2", input: "s3cr3t-of-ours")
        let prints = try ["crm", "crm2"].map { name in
            try server.get("/v1/secrets/\(name)").at("/kind")?.string
        }
        #expect(same.code == 0)
        #expect(prints[0] == prints[1])
        #expect(try server.client("secret", "delete", "crm").code == 0)
        #expect(try server.client("secret", "get", "crm").code == 1)
    }

    @Test func `hold and release jobs, send signals, and approve`() throws {
        let server = try LiveServer()
        let held = try made(server, #"{"type": "delay", "for": "1h"}"#)
        #expect(try server.client("hold", held, "--reason", "a test").output.hasPrefix(held))
        #expect(try server.client("release", held).output.hasPrefix(held))
        #expect(try server.client("cancel", held).code == 0)
        #expect(try server.client("erase", held).output == "\(held) erased\n")
        #expect(try server.client("get", held).code == 1)
        let awaits = try made(server, #"{"type": "await", "signal": "go"}"#)
        let sent = try server.client("signal", awaits, "go", "--data", #"{"by": "ops"}"#)
        #expect(sent.code == 0, "\(sent.errors)")
        #expect(try server.client("wait", awaits).code == 0)
        #expect(try server.client("result", awaits).output.contains("ops"))
        #expect(try server.client("spec", awaits).output.contains(#""signal":"go""#))
        #expect(try server.client("operations", awaits).output.hasPrefix("STATE"))
    }

    @Test func `say which word or flag is not known`() throws {
        let server = try LiveServer()
        let word = try server.client("queue", "pasue", "mail")
        #expect(word.code == 2)
        #expect(word.errors.contains("Did you mean pause?"))
        #expect(try server.client("queue").code == 2)
        #expect(try server.client("schedule", "pause", "x", "--from", "y").code == 2)
        #expect(try server.client("queue", "get").code == 2)
        #expect(try LiveServer.command(["help", "nosuch"]).code == 2)
        #expect(try LiveServer.command(["check", "a.json", "b.json"]).errors.contains("One file, not 2"))
    }

    @Test func `suggest the nearest of a few words`() throws {
        let server = try LiveServer()
        #expect(try server.client("list", "--sort", "finishd").errors.contains("Did you mean finished?"))
        let hook = #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}}"#
        #expect(try server.send("PUT", "/v1/hooks/push", body: hook).status == 201)
        for words in [["replay", "push"], ["deliveries", "push"]] {
            let wrong = try command(["hook"] + words + ["--outcome", "ignord"], server)
            #expect(wrong.code == 1 && wrong.errors.contains("write: ignored"), "\(wrong.errors)")
        }
    }

    @Test func `say that there is nothing, in place of a table without rows`() throws {
        let server = try LiveServer()
        let hook = #"{"verify": {"scheme": "none"}, "job": {"type": "value", "value": 1}}"#
        #expect(try server.send("PUT", "/v1/hooks/push", body: hook).status == 201)
        for (words, text) in [
            (["list"], "There are no jobs."), (["list", "--state", "failed"], "No job matches."),
            (["template", "list"], "There are none."), (["approvals"], "Nothing matches."),
            (["failures"], "Nothing failed in that time."),
            (
                ["hook", "replay", "push", "--outcome", "ignored"],
                "No delivery that was ignored is left to replay."
            ),
        ] {
            let ended = try command(words, server)
            #expect(ended.code == 0 && ended.output.isEmpty, "\(words): \(ended.output)")
            #expect(ended.errors == text + "\n", "\(words)")
        }
    }

    @Test func `make any request, with exit codes for scripts`() throws {
        let server = try LiveServer()
        let made = try server.client("api", "POST", "/v1/jobs", "-", input: #"{"type": "value", "value": 1}"#)
        #expect(made.code == 0, "\(made.errors)")
        #expect(try JSONParser.parse(Array(made.output.utf8)).object?["id"] != nil)
        let yaml = try file("q.yaml", "concurrency: 3\n")
        #expect(try server.client("api", "PUT", "/v1/queues/q", yaml).code == 0)
        let shown = try server.client("api", "/v1/queues/q", "--include")
        #expect(shown.output.hasPrefix("HTTP 200\n"))
        #expect(shown.output.contains(#""concurrency":3"#))
        let missing = try server.client("api", "GET", "/v1/schedules/none")
        #expect(missing.code == 1)
        #expect(missing.output.contains(#""status":404"#))
        #expect(missing.errors.contains("HTTP 404"))
        #expect(try server.client("api", "queues").code == 2)
        #expect(try LiveServer.command(["api", "/", "--url", "http://127.0.0.1:1"]).code == 10)
    }

    @Test func `end with 2 when a file is not there`() throws {
        let server = try LiveServer()
        for words in [
            ["submit", "nofile"], ["run", "nofile"], ["check", "nofile"], ["upload", "nofile"],
            ["config", "check", "nofile"], ["token", "list", "--token-file", "nofile"],
            ["api", "POST", "/v1/jobs", "nofile"], ["secret", "set", "s", "nofile"],
            ["doctor", "--data", "nofile"],
        ] {
            let ended = try LiveServer.command(words, environment: ["JOBSERVER_URL": server.url])
            #expect(ended.code == 2, "\(words): \(ended.errors)")
            #expect(ended.errors.contains("nofile"), "\(words): \(ended.errors)")
        }
    }

    @Test func `print JSON for programs`() throws {
        func json(_ words: String...) throws -> (JSONObject?, Int32) {
            let ended = try LiveServer.command(words)
            return (try JSONParser.parse(Array(ended.output.utf8)).object, ended.code)
        }
        #expect(try json("version", "--json").0?["version"]?.string?.isEmpty == false)
        let spec = try file("wrong.json", "{\"type\": \"value\",\n\"valu\": 1}")
        let (checked, code) = try json("check", spec, "--json")
        #expect(code == 1)
        #expect(checked?["problems"]?.array?.first?.object?["line"]?.number?.int != nil)
        let config = try file("c.conf", "port = 1\nprot = 2\nlog-level = loud\n")
        let (problems, invalid) = try json("config", "check", config, "--json")
        #expect(invalid == 3)
        #expect(problems?["problems"]?.array?.count == 2)
        let data = LiveServer.temporaryDirectory()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: data.path)
        let (doctor, _) = try json("doctor", "--data", data.path, "--json")
        #expect(doctor?["findings"]?.array?.isEmpty == false)
    }

    @Test func `have manual pages that man can read`() throws {
        let spec = try LiveServer.command(["man", "spec"]).output
        #expect(spec.hasPrefix(".TH JOBSERVER\\-SPEC 5 "))
        #expect(spec.contains(".SH \"JOBSPEC\""))
        #expect(spec.contains("\\fBpriority\\fR"))
        #expect(try LiveServer.command(["man", "serve"]).output.hasPrefix(".TH JOBSERVER\\-SERVE 1 "))
        #expect(try LiveServer.command(["man", "nosuch"]).code == 2)
    }
}
