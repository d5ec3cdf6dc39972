import FaultyHTTP
import Foundation
import StrictJSON
import Synchronization
import Testing

/// The commands that talk to a server.
@Suite(.serialized) struct `The commands for jobs` {
    private func made(_ server: LiveServer, _ spec: String) throws -> String {
        let ended = try server.client("submit", "-", input: spec)
        #expect(ended.code == 0, "\(ended.errors)")
        return ended.output.trimmingCharacters(in: .newlines)
    }

    @Test func `submit a job, wait for it, and print its result and nothing else`() throws {
        let server = try LiveServer()
        let id = try made(server, #"{"type": "value", "name": "sum", "value": {"a": [1, 2]}}"#)
        #expect(id.hasPrefix("job_"))
        let waited = try server.client("wait", id)
        #expect(waited.code == 0)
        #expect(waited.output == "\(id) succeeded\n")
        #expect(waited.errors == "")
        #expect(try server.client("result", id).output == #"{"a":[1,2]}"#)
        let ran = try server.client("run", "-", input: #"{"type": "value", "value": "text"}"#)
        #expect(ran.output == #""text""#)
        #expect(ran.errors == "")
        let shown = try server.client("get", id).output
        #expect(shown.contains("\nstate     succeeded\n"))
        #expect(shown.contains("\nname      sum\n"))
        let json = try server.client("get", id, "--json").output
        #expect(try JSONParser.parse(Array(json.utf8)).object?["id"]?.string == id)
    }

    @Test func `say why a job failed, and exit with 1`() throws {
        let server = try LiveServer()
        let spec = #"{"type": "network", "request": "http://127.0.0.1:1/", "retry": {"max_attempts": 1}}"#
        let ran = try server.client("run", "-", input: spec)
        #expect(ran.code == 1)
        #expect(ran.output == "")
        let id = String(ran.errors.prefix { $0 != " " })
        #expect(ran.errors.hasPrefix("\(id) failed: No server listens at the address: 127.0.0.1:1 refused"))
        #expect(ran.errors.contains(" [connect.refused], after 1 attempt\n"))
        #expect(ran.errors.contains("show all: jobserver get \(id) --json"))
        let result = try server.client("result", id)
        #expect(result.code == 1)
        #expect(result.errors.contains("[connect.refused]"))
        #expect(try server.client("wait", id).code == 1)
        #expect(try server.client("retry", id).output.hasPrefix("\(id) queued"))
        #expect(try server.client("wait", id).code == 1)
        #expect(try server.client("watch", id).output.contains("attempt_finished attempt=1 state=failed"))
    }

    @Test func `stop waiting after a time, explain, and cancel`() throws {
        let server = try LiveServer()
        let id = try made(server, #"{"type": "delay", "for": "1h"}"#)
        let waited = try server.client("wait", "--timeout", "0", id)
        #expect(waited.code == 11)
        #expect(waited.errors.contains("jobserver wait \(id)"))
        #expect(try server.client("result", id).code == 11)
        #expect(try server.client("explain", id).output.contains("waits for its delay to end"))
        #expect(try server.client("cancel", id, "--reason", "a test").output.hasPrefix("\(id) cancel"))
        #expect(try server.client("wait", id).code == 1)
        #expect(try server.get("/v1/jobs/\(id)").at("/error/detail")?.string?.contains("a test") == true)
    }

    @Test func `ask a server that does not wait about once a second`() throws {
        let asked = Mutex(0)
        let proxy = FaultServer { connection, _ in
            while connection.readRequest() != nil {
                asked.withLock { $0 += 1 }
                connection.answer(#"{"id": "job_01m8kx2zete68vsrce5q6ybzmf", "state": "running"}"#)
            }
        }
        defer { proxy.stop() }
        let waited = try LiveServer.command(
            ["wait", "--timeout", "2", "job_01m8kx2zete68vsrce5q6ybzmf"],
            environment: ["JOBSERVER_URL": proxy.url("")])
        #expect(waited.code == 11, "\(waited.errors)")
        #expect(asked.withLock(\.self) <= 4)
    }

    @Test(arguments: [
        "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout", "429 Too Many Requests",
    ])
    func `exit with 11 when the time is over while no server is ready`(status: String) throws {
        let proxy = FaultServer { connection, _ in
            while let request = connection.readRequest() {
                if request.hasPrefix("POST") {
                    connection.answer(
                        #"{"id": "job_01m8kx2zete68vsrce5q6ybzmf", "state": "queued"}"#,
                        status: "202 Accepted")
                } else {
                    // Longer than a command waits for a server.
                    connection.answer("", status: status, fields: "Retry-After: 700\r\n")
                }
            }
        }
        defer { proxy.stop() }
        func command(_ words: String..., input: String? = nil) throws -> LiveServer.Ended {
            try LiveServer.command(words, input: input, environment: ["JOBSERVER_URL": proxy.url("")])
        }
        let waited = try command("wait", "--timeout", "0", "job_01m8kx2zete68vsrce5q6ybzmf")
        #expect(waited.code == 11, "\(waited.errors)")
        #expect(waited.errors.contains("jobserver wait job_01m8kx2zete68vsrce5q6ybzmf"))
        let ran = try command("run", "--timeout", "0", "-", input: #"{"type": "value", "value": 1}"#)
        #expect(ran.code == 11, "\(ran.errors)")
        let shown = try command("get", "job_01m8kx2zete68vsrce5q6ybzmf")
        #expect(shown.code == (status.hasPrefix("429") ? 1 : 10), "\(shown.errors)")
        #expect(shown.errors.contains("answered \(status.prefix(3))"))
        #expect(try command("health").code == 1)
    }

    @Test func `show what could control a terminal by its number`() throws {
        let server = try LiveServer()
        let id = try made(server, #"{"type": "delay", "for": "1h"}"#)
        let reason = #"{"reason": "\u001b[2J\u202ex\nsecond"}"#
        #expect(try server.post("/v1/jobs/\(id):cancel", reason).status == 200)
        #expect(try server.client("get", id).output.contains("⟨1B⟩[2J⟨202E⟩x"))
        let watched = try server.client("watch", id)
        #expect(watched.code == 1)
        #expect(watched.output.contains("⟨1B⟩[2J⟨202E⟩x⟨A⟩second"))
        #expect(!(watched.output + watched.errors).contains("\u{1B}"))
        #expect(try server.client("get", id, "--json").output.contains(#"\u001b[2J"#))
    }

    @Test func `list by state and label, a job a line`() throws {
        let server = try LiveServer()
        for team in ["red", "blue"] {
            _ = try server.client(
                "run", "-", input: #"{"type": "value", "value": 1, "labels": {"team": "\#(team)"}}"#)
        }
        let table = try server.client("list").output.split(separator: "\n")
        #expect(table.count == 3)
        #expect(table.first?.hasPrefix("ID ") == true)
        #expect(table.last?.contains(" succeeded ") == true)
        #expect(try server.client("list", "--limit", "1").output.split(separator: "\n").count == 2)
        #expect(try server.client("list", "--failed", "--ids").output == "")
        #expect(try server.client("list", "--since", "1h", "--ids").output.split(separator: "\n").count == 2)
        #expect(try server.client("list", "--since", "2100-01-01T00:00:00Z", "--ids").output == "")
        #expect(try server.client("list", "--since", "soon").code == 2)
        let lines = try server.client("list", "--label", "team=red", "--state", "succeeded", "--json").output
            .split(separator: "\n")
        try #require(lines.count == 1)
        let job = try JSONParser.parse(Array(lines[0].utf8)).object
        #expect(job?["labels"]?.object?["team"] == "red")
        #expect(try server.client("list", "--label", "red").code == 2)
    }

    @Test func `stop watching when the reader has gone`() throws {
        let server = try LiveServer()
        let line = "'\(LiveServer.program.path)' watch | head -n 1 & sleep 1; "
        let work = #"for i in 1 2 3; do echo '{"type": "value", "value": 1}' | '"# + LiveServer.program.path
        let ended = try LiveServer.run(
            URL(filePath: "/bin/bash"),
            ["-c", line + work + "' submit - > /dev/null; sleep 0.2; done; wait"],
            environment: ["JOBSERVER_URL": server.url])
        #expect(ended.output.split(separator: "\n").count == 1)
    }

    @Test func `print each event of a job once, over a kill of the server`() throws {
        let first = try LiveProgram()
        let id = try made(first, #"{"type": "await", "signal": "go"}"#)
        let command = Process()
        command.executableURL = LiveServer.program
        command.arguments = ["watch", id]
        command.environment = ["JOBSERVER_URL": first.url]
        let output = Pipe()
        command.standardOutput = output
        try command.run()
        let early = output.fileHandleForReading.availableData
        let port = try #require(URL(string: first.url)?.port)
        _ = first.stop(SIGKILL)
        let second = try LiveProgram(directory: first.directory, port: port)
        #expect(try second.post("/v1/jobs/\(id)/signals/go", "{}").status < 300)
        let late = output.fileHandleForReading.readDataToEndOfFile()
        command.waitUntilExit()
        #expect(command.terminationStatus == 0)
        let lines = String(decoding: early + late, as: UTF8.self).split(separator: "\n")
        #expect(lines.count > 3)
        #expect(Set(lines).count == lines.count, "\(lines)")
    }

    @Test func `leave a file alone when there is no result for it`() throws {
        let server = try LiveServer()
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: "out")
        try Data("old".utf8).write(to: file)
        let id = try made(server, #"{"type": "delay", "for": "1h"}"#)
        #expect(try server.client("result", id, "--output", file.path).code == 11)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        let done = try made(server, #"{"type": "value", "value": "new"}"#)
        #expect(try server.client("wait", done).code == 0)
        #expect(try server.client("result", done, "--output", file.path).code == 0)
        #expect(try Data(contentsOf: file) == Data(#""new""#.utf8))
    }

    @Test func `make one job of two submissions with one key`() throws {
        let server = try LiveServer()
        let spec = #"{"type": "value", "value": 1}"#
        let ids = try (0..<2).map { _ in
            try server.client("submit", "--idempotency-key", "k1", "-", input: spec).output
        }
        #expect(ids[0] == ids[1])
    }

    @Test func `report the problems of a spec, with their place`() throws {
        let ended = try LiveServer().client("submit", "-", input: #"{"type": "delay"}"#)
        #expect(ended.code == 1)
        #expect(ended.errors.contains(#""for" is missing"#))
        #expect(ended.errors.contains("write:"))
    }

    @Test func `report the problems of a filter, and not as those of a spec`() throws {
        let ended = try LiveServer().client("list", "--state", "nonsense")
        #expect(ended.code == 1)
        #expect(ended.errors.hasPrefix("The query has problems:\n  state: "))
    }

    @Test func `check the health of a server`() throws {
        let server = try LiveProgram()
        #expect(try server.client("health").output == "ready\n")
        _ = server.stop()
        #expect(try server.client("health").code == 10)
    }

    @Test func `say that no server is there, and how to start one`() throws {
        let ended = try LiveServer.command(["list", "--url", "http://127.0.0.1:1"])
        #expect(ended.code == 10)
        #expect(ended.errors.contains("http://127.0.0.1:1"))
        #expect(ended.errors.contains("jobserver serve"))
        #expect(ended.errors.contains("JOBSERVER_URL"))
        #expect(try LiveServer.command(["list", "--url", "nonsense://x"]).code == 2)
        #expect(
            try LiveServer.command([
                "result", "job_01m8kx2zete68vsrce5q6ybzmf", "--url", "http://127.0.0.1:1",
            ]).code == 10)
    }

    @Test func `say which variable has the token`() throws {
        let directory = LiveServer.temporaryDirectory()
        let file = directory.appending(path: "tokens").path
        func token(_ name: String, _ scope: String) throws -> String {
            try LiveServer.command(
                ["token", "create", "--token-file", file, "--name", name, "--scope", scope]
            ).output.trimmingCharacters(in: .newlines)
        }
        let reader = try token("reader", "read")
        let server = try LiveServer(["--token-file", file], directory: directory)
        let none = try server.client("list")
        #expect(none.code == 1)
        #expect(none.errors.contains("set JOBSERVER_TOKEN"))
        let wrong = try server.client("list", token: "wrong")
        #expect(wrong.errors.contains("check JOBSERVER_TOKEN"))
        #expect(try server.client("list", token: reader).code == 0)
        let refused = try server.client(
            "submit", "-", input: #"{"type": "value", "value": 1}"#, token: reader)
        #expect(refused.code == 1)
        #expect(refused.errors.contains("write"))
    }

    @Test func `have help, completion and a manual that mention every flag`() throws {
        let page = try LiveServer.command(["man"]).output + LiveServer.command(["man", "serve"]).output
        let scripts = try ["bash", "zsh", "fish"].map { try LiveServer.command(["completion", $0]).output }
        for name in ["serve", "run", "list", "doctor"] {
            let help = try LiveServer.command([name, "--help", "all"]).output
            for line in help.split(separator: "\n") where line.hasPrefix("  --") {
                let flag = line.dropFirst(4).prefix { $0 != " " }
                #expect(page.contains(flag.replacing("-", with: "\\-")), "\(flag)")
                for script in scripts { #expect(script.contains(flag), "\(flag)") }
            }
        }
        let checked = try LiveServer.run(URL(filePath: "/bin/bash"), ["-n"], input: scripts[0])
        #expect(checked.code == 0, "\(checked.errors)")
        let words = try LiveServer.run(
            URL(filePath: "/bin/bash"),
            [
                "-c",
                scripts[0]
                    + "\nCOMP_WORDS=(jobserver serve --sy) COMP_CWORD=2; _jobserver; echo ${COMPREPLY[*]}",
            ])
        #expect(words.output == "--sync\n")
        let verbs = try LiveServer.run(
            URL(filePath: "/bin/bash"),
            [
                "-c",
                scripts[0]
                    + "\nCOMP_WORDS=(jobserver queue pa) COMP_CWORD=2; _jobserver; echo ${COMPREPLY[*]}",
            ])
        #expect(verbs.output == "pause\n")
    }
}
