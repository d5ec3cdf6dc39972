import Foundation
import StrictJSON
import Testing

/// curl lines as jobs, compared with curl itself.
@Suite(.serialized) struct `A curl line that is run as a job` {
    /// Lines with URL for httpbin, and OUT, HEAD, FILE and JSON for files.
    private static let lines = [
        "curl -s URL/get", "curl -s 'URL/get?a=b&c=d'", "curl -s -G URL/get -d q=x -d r=y",
        "curl -s -G URL/get --data-urlencode q='a b&c'", "curl -s URL/anything -d a=1 -d b=2",
        #"curl -s URL/anything --json '{"a": 1}'"#,
        "curl -s URL/anything -X PUT --data-raw text -H 'Content-Type: text/plain'",
        "curl -s URL/anything -X DELETE", "curl -s URL/anything -X PATCH -d x=1",
        "curl -s URL/anything --data-binary @FILE", "curl -s URL/anything -d @FILE",
        "curl -s URL/anything -T FILE -H 'Content-Type: a/b' -H 'Expect:'",
        "curl -s URL/anything --json @JSON",
        "curl -s URL/anything -d @- < FILE", "curl -s URL/headers -H 'X-Tag: a' -H 'X-Empty;'",
        "curl -s URL/headers -A agent/1 -e http://referer.example/", "curl -s URL/headers -b 'a=1; b=2'",
        "curl -s -u ada:word URL/basic-auth/ada/word", "curl -s -u ada:wrong URL/basic-auth/ada/word",
        "curl -s --oauth2-bearer token URL/bearer", "curl -s URL/status/404", "curl -s URL/status/418",
        "curl -sf URL/status/404", "curl -s --fail-with-body URL/status/418", "curl -s URL/redirect/2",
        "curl -sL URL/redirect/2", "curl -sL --max-redirs 1 URL/redirect/3",
        "curl -s -o OUT 'URL/bytes/4096?seed=1'",
        #"curl -s -o OUT -w '%{http_code} %{content_type}\n' 'URL/bytes/300000?seed=2'"#,
        #"curl -s -w '\n%{http_code} %{url_effective} %{method} %{num_redirects} %{scheme} %{http_version}\n' URL/json"#,
        "curl -s -w '%{redirect_url}' 'URL/redirect-to?url=/get'",
        "curl -s -o /dev/null -w '%{http_code}%%' URL/status/503", "curl -s URL/image/png",
        "curl -s URL/gzip --compressed | grep -v Accept-Encoding", "curl -s URL/encoding/utf8",
        "curl -s --max-time 0.5 URL/delay/3", "curl -s http://127.0.0.1:1/",
        "curl -s http://nowhere.invalid/",
        "curl -s URL/range/100 -r 10-19", "curl -s URL/stream/2 | tr -d '{}' | tr , '\\n' | sort",
        "curl -s -F a=1 -F 'b=x y' -F f=@FILE URL/anything | grep -v Content-",
        "curl -s -I URL/get -o /dev/null -w '%{http_code}'",
        "curl -s --retry 1 --retry-delay 1 -o /dev/null -w '%{http_code}' URL/status/503",
        "curl -s --no-such-option URL/get",
        "curl -s URL/absolute-redirect/1 -L -o /dev/null -w '%{url_effective}'",
        "curl -s -D HEAD -o OUT URL/json -w '%{http_code}'",
        "curl -s --create-dirs -o DIR/a/b URL/json && cat DIR/a/b",
        "curl -s --output-dir DIR -O URL/json && cat DIR/json", "curl -s URL/deny -o /no/such/folder/file",
    ]

    private struct Seen: Equatable, CustomStringConvertible {
        var code: Int32
        var output: String
        var file: Data?

        var description: String { "exit \(code), \(file?.count ?? -1) bytes in the file, \(output)" }
    }

    @Test func `prints what curl prints, and exits as curl does`() throws {
        let bin = try HTTPBin()
        let server = try LiveServer()
        let folder = server.directory
        let file = folder.appending(path: "file")
        try Data("line 1\nline 2=x&y\n".utf8).write(to: file)
        let json = folder.appending(path: "json")
        try Data("{\"k\": [1,\n2]}\n".utf8).write(to: json)
        #expect(Self.lines.count >= 40)
        for line in Self.lines {
            func seen(_ prefix: String) throws -> Seen {
                let out = folder.appending(path: "out")
                try? FileManager.default.removeItem(at: out)
                let sub = folder.appending(path: "dir")
                try? FileManager.default.removeItem(at: sub)
                try FileManager.default.createDirectory(at: sub, withIntermediateDirectories: true)
                let text = line.replacing("URL", with: bin.url("")).replacing("OUT", with: out.path)
                    .replacing("HEAD", with: out.path + "-head").replacing("FILE", with: file.path)
                    .replacing("JSON", with: json.path).replacing("DIR", with: sub.path)
                let ended = try LiveServer.run(
                    URL(filePath: "/bin/bash"), ["-o", "pipefail", "-c", prefix + text],
                    environment: ["JOBSERVER_URL": server.url])
                return Seen(code: ended.code, output: ended.output, file: try? Data(contentsOf: out))
            }
            let expected = try seen("")
            #expect(try seen("'\(LiveServer.program.path)' run -- ") == expected, "\(line)")
        }
    }

    @Test func `shows the head of the answer, and curl's message for an error`() throws {
        let bin = try HTTPBin()
        let server = try LiveServer()
        let head = try server.client("run", "--", "curl", "-si", bin.url("/response-headers?X-Tag=a"))
        #expect(head.output.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.output.contains("\r\nx-tag: a\r\n"))
        let failed = try server.client("run", "--", "curl", "-f", bin.url("/status/404"))
        #expect(failed.code == 22)
        #expect(failed.errors == "curl: (22) The requested URL returned error: 404\n")
        let refused = try server.client("run", "--", "curl", "-sS", "http://127.0.0.1:1/")
        #expect(refused.code == 7)
        #expect(refused.errors.hasPrefix("curl: (7) "))
        let blocked = try server.client("run", "--", "curl", "http://10.0.0.1/")
        #expect(blocked.code == 7)
        #expect(blocked.errors.contains("--egress-allow"))
        let unsupported = try server.client("run", "--", "curl", "-k", bin.url("/get"))
        #expect(unsupported.code == 2)
        #expect(unsupported.errors.contains("-k is not supported"))
    }

    @Test func `survives a kill of the server in the middle of a download`() throws {
        let bin = try HTTPBin()
        let first = try LiveProgram()
        let folder = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: folder) }
        let out = folder.appending(path: "out")
        let command = Process()
        command.executableURL = LiveServer.program
        command.arguments = [
            "run", "--", "curl", "-s", "--retry", "3", "-o", out.path, "-w", "%{http_code}",
            bin.url("/range/100000?duration=3&chunk_size=5000"),
        ]
        command.environment = ["JOBSERVER_URL": first.url]
        let output = Pipe()
        command.standardOutput = output
        try command.run()
        var progress = 0
        while progress == 0, command.isRunning {
            usleep(50_000)
            progress = try first.get("/v1/jobs").at("/items/0/progress/done")?.number?.int ?? 0
        }
        let port = try #require(URL(string: first.url)?.port)
        _ = first.stop(SIGKILL)
        let second = try LiveProgram(directory: first.directory, port: port)
        let written = output.fileHandleForReading.readDataToEndOfFile()
        command.waitUntilExit()
        #expect(command.terminationStatus == 0)
        #expect(["200", "206"].contains(String(decoding: written, as: UTF8.self)))
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        #expect(try Data(contentsOf: out) == Data((0..<100_000).map { letters[$0 % 26] }))
        #expect(try second.get("/v1/jobs").at("/items")?.array?.count == 1)
    }

    @Test func `survives a kill of the server in the middle of a retry`() throws {
        let bin = try HTTPBin()
        let first = try LiveProgram()
        let command = Process()
        command.executableURL = LiveServer.program
        command.arguments = [
            "run", "--", "curl", "-s", "--retry", "2", "--retry-delay", "2", "-w", "%{http_code}",
            bin.url("/status/503"),
        ]
        command.environment = ["JOBSERVER_URL": first.url]
        let output = Pipe()
        command.standardOutput = output
        try command.run()
        while try first.get("/v1/jobs").at("/items/0/state") != "retrying", command.isRunning {
            usleep(50_000)
        }
        let port = try #require(URL(string: first.url)?.port)
        _ = first.stop(SIGKILL)
        let second = try LiveProgram(directory: first.directory, port: port)
        let written = output.fileHandleForReading.readDataToEndOfFile()
        command.waitUntilExit()
        #expect(command.terminationStatus == 0)
        #expect(String(decoding: written, as: UTF8.self) == "503")
        #expect(try second.get("/v1/jobs").at("/items/0/attempt")?.number?.int == 3)
    }
}
