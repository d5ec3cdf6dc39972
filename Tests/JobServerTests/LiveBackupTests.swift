import Foundation
import StrictJSON
import Testing

@testable import JobServer

@Suite struct `A backup` {
    private static let job = #"{"type":"value","value":{"kept":true}}"#

    @Test func `of a running server can be started with`() throws {
        let server = try LiveServer()
        let id = try server.submit(Self.job)
        try server.rest(id)
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let copy = home.appending(path: "data").path
        let made = try LiveServer.command([
            "backup", copy, "--data", server.directory.appending(path: "data").path,
        ])
        #expect(made.code == 0, "\(made.errors)")
        #expect(made.output.contains("1 job in"))
        #expect(made.output.contains("secret.key is not in it"))
        let key = server.directory.appending(path: "data/secret.key").path
        #expect(made.output.contains("serve --data \(copy) --secret-key-file \(key)\n"), "\(made.output)")
        let names = try FileManager.default.contentsOfDirectory(
            atPath: server.directory.appending(path: "data").path)
        #expect(!names.contains { $0.contains("backup-") })
        let second = try LiveServer(directory: home)
        #expect(try second.get("/v1/jobs/\(id)/result").body == Data(#"{"kept":true}"#.utf8))
        #expect(try second.get("/v1/jobs/\(id)").at("/state")?.string == "succeeded")
    }

    @Test func `leaves others in the data directory alone`() throws {
        let server = try LiveServer()
        let data = server.directory.appending(path: "data").path
        for day in ["backup-monday", "backup-tuesday"] {
            let made = try LiveServer.command(["backup", "\(data)/\(day)", "--data", data])
            #expect(made.code == 0, "\(made.errors)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(Set(names.filter { $0.contains("backup-") }) == ["backup-monday", "backup-tuesday"])
    }

    @Test func `is not made over something that is there, and not of nothing`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let over = try LiveServer.command(["backup", home.path, "--data", home.path])
        #expect(over.code == 1)
        #expect(over.errors.contains("exists already"))
        let nothing = try LiveServer.command(["backup", home.path + "/copy", "--data", home.path])
        #expect(nothing.code == 1)
        #expect(nothing.errors.contains("There is no store"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
    }

    @Test func `is removed when its command was ended before it was made`() throws {
        let server = try LiveProgram()
        let data = server.directory.appending(path: "data").path
        // The server sees request and end at once.
        kill(server.pid, SIGSTOP)
        defer { kill(server.pid, SIGCONT) }
        let command = ["--unix-socket", data + "/control", "-X", "POST", "http://localhost/backup"]
        let ended = try LiveServer.run(
            URL(filePath: "/usr/bin/curl"), ["-s", "--max-time", "0.3"] + command)
        #expect(ended.code == 28, "the command waits for an answer until it is ended")
        kill(server.pid, SIGCONT)
        #expect(soon { server.log.contains("backup_abandoned") })
        let isGone = try soon {
            try !FileManager.default.contentsOfDirectory(atPath: data).contains { $0.contains("backup-") }
        }
        #expect(isGone)
        let made = try LiveServer.command(["backup", data + "/backup-monday", "--data", data])
        #expect(made.code == 0, "\(made.errors)")
    }

    @Test func `is kept for its command for some hours, and then removed by the next one`() {
        var made = MadeBackups()
        let now = ContinuousClock.now
        made.add("moved", now: now)
        made.add("ended", now: now)
        made.remove("ended")
        let late = now.advanced(by: MadeBackups.timeMax)
        let found = [
            made.abandoned(of: ["moved", "ended", "earlier"], now: now),
            made.abandoned(of: ["moved"], now: late.advanced(by: .seconds(-1))),
            made.abandoned(of: ["moved"], now: late),
        ]
        #expect(found == [["ended", "earlier"], [], ["moved"]])
    }

    @Test func `leaves nothing behind when the store cannot be read`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        try Data(repeating: 0x41, count: 8_192).write(to: data.appending(path: "jobs.db"))
        let made = try LiveServer.command(["backup", home.path + "/copy", "--data", data.path])
        #expect(made.code == 1, "\(made.output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["data"])
    }

    @Test func `of a server that is not running holds the same, and the key when asked for`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data").path
        let id: String
        do {
            let server = try LiveProgram(directory: home)
            id = try server.submit(Self.job)
            try server.rest(id)
            // Killed, not stopped: the content of the write-ahead log belongs to the copy.
            _ = server.stop(SIGKILL)
        }
        let made = try LiveServer.command([
            "backup", home.path + "/copy/", "--data", data, "--with-secret-key",
        ])
        #expect(made.code == 0, "\(made.errors)")
        #expect(
            FileManager.default.contentsEqual(
                atPath: data + "/secret.key", andPath: home.path + "/copy/secret.key"))
        let doctor = try LiveServer.command(["doctor", "--data", home.path + "/copy"])
        #expect(doctor.output.contains("1 succeeded"), "\(doctor.output)\(doctor.errors)")
    }
}

@Suite struct `The doctor` {
    @Test func `finds nothing wrong with a server that runs`() throws {
        let server = try LiveProgram()
        try server.rest(try server.submit(#"{"type":"value","value":1}"#))
        let data = server.directory.appending(path: "data").path
        let seen = try LiveServer.command(["doctor", "--data", data])
        #expect(seen.code == 0, "\(seen.output)\(seen.errors)")
        #expect(seen.output.contains("a server runs here (process \(server.pid))"))
        #expect(seen.output.contains("the store is sound"))
        #expect(seen.output.contains("1 succeeded"))
    }

    @Test func `reports problems and remedies`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let data = home.appending(path: "data").path
        do {
            let server = try LiveProgram(directory: home)
            for _ in 0..<20 { _ = try server.submit(#"{"type":"value","value":1}"#) }
            #expect(server.stop() == 0)
        }
        let file = URL(filePath: data + "/jobs.db")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(
            4_096..<bytes.count / 2, with: Data(repeating: 0xFF, count: bytes.count / 2 - 4_096))
        try bytes.write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: data)
        let seen = try LiveServer.command(["doctor", "--data", data])
        #expect(seen.code == 1)
        #expect(seen.errors.contains("the store is damaged") || seen.errors.contains("cannot be looked at"))
        #expect(seen.errors.contains("chmod 700 \(data)"))
    }

    @Test func `misses the key that opens the stored secrets`() throws {
        let server = try LiveProgram()
        let put = try server.send("PUT", "/v1/secrets/token", body: #"{"text": "s3cr3t-of-ours"}"#)
        #expect([200, 201].contains(put.status), "\(put)")
        let data = server.directory.appending(path: "data").path
        let before = try LiveServer.command(["doctor", "--data", data])
        #expect(before.output.contains("1 secret is stored, and the key file is there"), "\(before.output)")
        #expect(server.stop() == 0)
        try FileManager.default.removeItem(atPath: data + "/secret.key")
        let seen = try LiveServer.command(["doctor", "--data", data])
        #expect(seen.code == 1)
        #expect(seen.errors.contains("there is no key file at \(data)/secret.key"), "\(seen.errors)")
        #expect(seen.errors.contains("--secret-key-file"))
        let elsewhere = server.directory.appending(path: "key").path
        #expect(
            FileManager.default.createFile(
                atPath: elsewhere, contents: Data("key".utf8), attributes: [.posixPermissions: 0o600]))
        let told = try LiveServer.command(["doctor", "--data", data, "--secret-key-file", elsewhere])
        #expect(told.code == 0, "\(told.errors)")
    }

    @Test(arguments: [true, false])
    func `misses files with content, and so does a backup`(isGone: Bool) throws {
        let server = try LiveServer()
        let origin = Origin(Array(repeating: 65, count: 300_000))
        let id = try server.submit(#"{"type": "network", "request": "\#(origin.url)"}"#)
        try server.rest(id)
        let data = server.directory.appending(path: "data").path
        #expect(try LiveServer.command(["doctor", "--data", data]).code == 0)
        let names = try #require(FileManager.default.enumerator(atPath: data + "/artifacts"))
        let file = try #require(names.compactMap { $0 as? String }.first { $0.utf8.count > 60 })
        if isGone {
            try FileManager.default.removeItem(atPath: "\(data)/artifacts/\(file)")
        } else {
            try Data("short".utf8).write(to: URL(filePath: "\(data)/artifacts/\(file)"))
        }
        let seen = try LiveServer.command(["doctor", "--data", data])
        #expect(seen.code == 1)
        #expect(seen.errors.contains("artifacts/\(file)"), "\(seen.errors)")
        let copy = server.directory.appending(path: "copy").path
        let made = try LiveServer.command(["backup", copy, "--data", data])
        #expect(made.output.contains("1 file with content was not there"), "\(made.output)\(made.errors)")
    }

    @Test(arguments: [true, false])
    func `reads files with content, and finds bytes that were not stored`(isServed: Bool) throws {
        let server = try LiveProgram()
        let origin = Origin(Array(repeating: 65, count: 300_000))
        let id = try server.submit(#"{"type": "network", "request": "\#(origin.url)"}"#)
        try server.rest(id)
        if !isServed { #expect(server.stop() == 0) }
        let data = server.directory.appending(path: "data").path
        #expect(try LiveServer.command(["doctor", "--data", data]).code == 0)
        let names = try #require(FileManager.default.enumerator(atPath: data + "/artifacts"))
        let file = try #require(names.compactMap { $0 as? String }.first { $0.utf8.count > 60 })
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(data)/artifacts/\(file)"))
        try handle.seek(toOffset: 150_000)
        try handle.write(contentsOf: Data("B".utf8))
        try handle.close()
        let seen = try LiveServer.command(["doctor", "--data", data])
        #expect(seen.code == 1)
        let line = "1 file with content is missing or damaged: artifacts/\(file)\n"
        #expect(seen.errors.contains(line), "\(seen.errors)")
    }

    @Test func `does not wait for a server that is stuck`() throws {
        let server = try LiveProgram()
        kill(server.pid, SIGSTOP)
        defer { kill(server.pid, SIGCONT) }
        let seen = try LiveServer.command([
            "doctor", "--data", server.directory.appending(path: "data").path,
        ])
        #expect(seen.code == 1)
        #expect(seen.errors.contains("stuck"), "\(seen.errors)")
    }
}
