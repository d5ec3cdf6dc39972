import FoundationEssentials
import HTTPMessage
import OpenSSLCrypto
import Testing

@testable import JobKit
@testable import JobServer

extension TokenGate {
    /// The verdict on a request with this `Authorization` field; nil has none.
    fileprivate func verdict(
        authorization: String?, scope: AccessScope, at now: Timestamp = SystemTime.now()
    ) throws -> Verdict {
        judge(try .with("Authorization", authorization), scopes: [scope], at: now).verdict
    }
}

extension HTTPRequestHead {
    /// A request with this field; nil has none.
    fileprivate static func with(_ name: String, _ value: String?) throws -> HTTPRequestHead {
        let fields = value.map { HTTPFields(dictionaryLiteral: (name, $0)) } ?? HTTPFields()
        return HTTPRequestHead(method: .get, target: try #require(RequestTarget("/v1/jobs")), fields: fields)
    }
}

@Suite struct `The token gate` {
    private func temporaryFile() -> TokenFile {
        let directory = FileManager.default.temporaryDirectory
        return TokenFile(path: directory.appending(path: "tokens-\(UUID().uuidString)").path)
    }

    @Test func `permits everyone where no token is required`() throws {
        #expect(try TokenGate().verdict(authorization: nil, scope: .write) == .open(.anybody))
    }

    @Test func `knows a token by its digest and its owner's name`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let token = BearerToken()
        try file.write([
            TokenEntry(name: "other", digest: BearerToken().digest),
            TokenEntry(name: "ada", digest: token.digest),
        ])
        let gate = try TokenGate(file: file)
        #expect(
            try gate.verdict(authorization: "Bearer \(token.text)", scope: .write)
                == .open(Caller(name: "ada")))
        #expect(
            try gate.verdict(authorization: "bearer  \(token.text)", scope: .read)
                == .open(Caller(name: "ada")))
    }

    @Test(arguments: ["", "Bearer", "Bearer ", "Basic abc", "Bearer js_wrong", "js_wrong"])
    func `refuses everything else`(value: String) throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        try file.write([TokenEntry(name: "ada", digest: BearerToken().digest)])
        let gate = try TokenGate(file: file)
        #expect(try gate.verdict(authorization: value, scope: .read) == .unknown)
        #expect(try gate.verdict(authorization: nil, scope: .read) == .unknown)
    }

    @Test func `holds a token to its scopes`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let token = BearerToken()
        try file.write([TokenEntry(name: "eye", digest: token.digest, scopes: [.read])])
        let gate = try TokenGate(file: file)
        let sent = "Bearer \(token.text)"
        #expect(try gate.verdict(authorization: sent, scope: .read) == .open(Caller(name: "eye")))
        #expect(try gate.verdict(authorization: sent, scope: .write) == .forbidden(name: "eye"))
    }

    @Test func `lets a token submit that may only do that, or write`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let (drop, hand) = (BearerToken(), BearerToken())
        try file.write([
            TokenEntry(name: "drop", digest: drop.digest, scopes: [.submit]),
            TokenEntry(name: "hand", digest: hand.digest, scopes: [.write]),
        ])
        let gate = try TokenGate(file: file)
        let blind = Caller(name: "drop", mayRead: false)
        #expect(try gate.verdict(authorization: "Bearer \(drop.text)", scope: .submit) == .open(blind))
        for scope in [AccessScope.read, .write, .admin] {
            #expect(
                try gate.verdict(authorization: "Bearer \(drop.text)", scope: scope)
                    == .forbidden(name: "drop"))
        }
        #expect(
            try gate.verdict(authorization: "Bearer \(hand.text)", scope: .submit)
                == .open(Caller(name: "hand", mayRead: false)))
    }

    @Test func `refuses a token from its expiry on`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let token = BearerToken()
        let end = Timestamp(milliseconds: 1_800_000_000_000)
        try file.write([TokenEntry(name: "ada", digest: token.digest, expiresAt: end)])
        let gate = try TokenGate(file: file)
        let sent = "Bearer \(token.text)"
        let before = end.advanced(by: .milliseconds(-1))
        #expect(try gate.verdict(authorization: sent, scope: .read, at: before) == .open(Caller(name: "ada")))
        #expect(
            try gate.verdict(authorization: sent, scope: .read, at: end) == .expired(name: "ada", at: end))
    }

    @Test func `notices a revoked token and keeps the previous ones when the file breaks`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let token = BearerToken()
        let sent = "Bearer \(token.text)"
        try file.write([TokenEntry(name: "ada", digest: token.digest)])
        let gate = try TokenGate(file: file)
        try Data("nonsense".utf8).write(to: URL(filePath: file.path))
        #expect(throws: TokenFileError.self) { try gate.reload() }
        #expect(try gate.verdict(authorization: sent, scope: .read) == .open(Caller(name: "ada")))
        try file.write([])
        try gate.reload()
        #expect(try gate.verdict(authorization: sent, scope: .read) == .unknown)
    }

    @Test func `notices a token that is revoked behind a link, as in a volume of Kubernetes`() throws {
        let manager = FileManager.default
        let volume = manager.temporaryDirectory.appending(path: "volume-\(UUID().uuidString)").path
        defer { try? manager.removeItem(atPath: volume) }
        for folder in ["one", "two"] {
            try manager.createDirectory(
                atPath: "\(volume)/\(folder)", withIntermediateDirectories: true)
        }
        let token = BearerToken()
        let sent = "Bearer \(token.text)"
        try TokenFile(path: volume + "/one/tokens").write([TokenEntry(name: "ada", digest: token.digest)])
        try TokenFile(path: volume + "/two/tokens").write([])
        try manager.createSymbolicLink(atPath: volume + "/data", withDestinationPath: "one")
        try manager.createSymbolicLink(atPath: volume + "/tokens", withDestinationPath: "data/tokens")
        let gate = try TokenGate(file: TokenFile(path: volume + "/tokens"))
        let early = try gate.reloadIfChanged()
        #expect(!early)
        #expect(try gate.verdict(authorization: sent, scope: .read) == .open(Caller(name: "ada")))
        try manager.removeItem(atPath: volume + "/data")
        try manager.createSymbolicLink(atPath: volume + "/data", withDestinationPath: "two")
        let late = try gate.reloadIfChanged()
        #expect(late)
        #expect(try gate.verdict(authorization: sent, scope: .read) == .unknown)
    }

    /// The file with one token, a gate before it, and the permission of a request that carries the token.
    private func admit(
        until end: Timestamp? = nil
    ) throws -> (file: TokenFile, gate: TokenGate, permission: Permission) {
        let (file, token) = (temporaryFile(), BearerToken())
        try file.write([TokenEntry(name: "ada", digest: token.digest, expiresAt: end)])
        let gate = try TokenGate(file: file)
        let head = try HTTPRequestHead.with("Authorization", "Bearer \(token.text)")
        let judged = gate.judge(head, scopes: [.read], at: Timestamp(milliseconds: 1))
        return (file, gate, Permission(caller: Caller(name: "ada"), grounds: judged.grounds))
    }

    /// The number of looks that an admitted request has cost when its body has come.
    private func looks(
        _ permission: Permission, _ gate: TokenGate, at now: Timestamp = Timestamp(milliseconds: 2)
    ) throws -> Int {
        var looks = 0
        let renewed = try permission.renewed(by: gate, at: now) {
            looks += 1
            return permission
        }
        #expect(renewed.caller == permission.caller)
        return looks
    }

    @Test func `looks once at a request, unless the tokens change before its body has come`() throws {
        let (file, gate, permission) = try admit()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        #expect(try looks(permission, gate) == 0)
        #expect(try !gate.reloadIfChanged())
        #expect(try looks(permission, gate) == 0)
        try file.write([])
        #expect(try gate.reloadIfChanged())
        #expect(try looks(permission, gate) == 1)
    }

    @Test func `looks again at a request whose token ends before its body has come`() throws {
        let end = Timestamp(milliseconds: 5_000)
        let (file, gate, permission) = try admit(until: end)
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        #expect(try looks(permission, gate, at: end.advanced(by: .milliseconds(-1))) == 0)
        #expect(try looks(permission, gate, at: end) == 1)
    }

    @Test func `looks again at a request whose session ends before its body has come`() throws {
        let (file, gate, _) = try admit()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        let digest = try #require(gate.known.first).digest
        let cookie = "\(PageSessions.cookie)=\(gate.sessions.begin(tokenDigest: digest))"
        let head = try HTTPRequestHead.with("Cookie", cookie)
        let now = SystemTime.now()
        let judged = gate.judge(head, scopes: [.read], at: now)
        let permission = Permission(caller: Caller(name: "ada"), grounds: judged.grounds)
        #expect(try looks(permission, gate, at: now) == 0)
        #expect(try looks(permission, gate, at: now.advanced(by: .seconds(PageSessions.secondsMax))) == 1)
        gate.sessions.end(of: head)
        gate.reviewSessions()
        #expect(try looks(permission, gate, at: now) == 1)
    }

    @Test func `has a file that one command at a time changes`() throws {
        let file = temporaryFile()
        defer {
            for path in [file.path, file.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
        }
        var refusal: TokenFileError?
        try file.change { entries throws(TokenFileError) in
            entries.append(TokenEntry(name: "ada", digest: BearerToken().digest))
            do throws(TokenFileError) {
                try file.change(patience: .zero) { $0 = [] }
            } catch {
                refusal = error
            }
        }
        #expect(refusal?.description.contains("\(file.path).lock. Try again") == true)
        try file.change { $0.append(TokenEntry(name: "bob", digest: BearerToken().digest)) }
        let names = try file.read().map(\.name)
        #expect(names == ["ada", "bob"])
    }

    @Test func `keeps the tokens of all commands that run at the same time`() async throws {
        let file = temporaryFile()
        let path = file.path
        defer {
            for path in [path, path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
        }
        let names = (0..<8).map { "token-\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in names {
                group.addTask {
                    let words = ["create", "--token-file", path, "--name", name]
                    _ = try TokenCommand.run(words, environment: [:])
                }
            }
            try await group.waitForAll()
        }
        let kept = try file.read().map(\.name)
        #expect(kept.sorted() == names)
    }

    @Test func `keeps its file to the owner`() throws {
        let file = temporaryFile()
        defer { try? FileManager.default.removeItem(atPath: file.path) }
        try file.write([])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}

@Suite struct `The token file` {
    private let digest = String(repeating: "ab", count: 32)

    @Test func `holds names, digests and scopes`() throws {
        let entries = try TokenFile.parse("# note\n\n ada:\(digest)\r\nbot:\(digest):read\n", path: "f")
        #expect(entries.map(\.name) == ["ada", "bot"])
        #expect(entries[0].scopes == Set(AccessScope.allCases))
        #expect(entries[1].scopes == [.read])
        #expect(entries[1].line == "bot:\(digest):read")
    }

    @Test(arguments: [
        "a:@", "a:@:read", "a:@:submit", "a:@:submit,admin", "a:@::expires=2027-01-01T00:00:00.000Z",
        "a:@:read:expires=2027-01-01T00:00:00.500Z",
    ])
    func `is written as it was read`(text: String) throws {
        let line = text.replacing("@", with: digest)
        #expect(try TokenFile.parse(line, path: "f").map(\.line) == [line])
    }

    @Test func `knows files from before there was a scope for submissions`() throws {
        let entry = try #require(try TokenFile.parse("a:\(digest):read,write,admin", path: "f").first)
        #expect(entry.permitted == AccessScope.allCases)
        #expect(entry.line == "a:\(digest)")
    }

    @Test(arguments: [
        "ada", "ada:12", "a b:@", ":@", "ada:@:fly", "ada:@:", "ada:@\nada:@", "ada:@::x=1",
        "ada:@:read:expires",
        "ada:@::expires=tomorrow", "ada:@::tenant=A",
    ])
    func `names the line that is wrong`(text: String) {
        let line = text.replacing("@", with: digest)
        #expect {
            try TokenFile.parse("# first\n" + line, path: "tokens")
        } throws: { error in
            "\(error)".contains("tokens") && ("\(error)".contains("Line 2") || "\(error)".contains("Line 3"))
        }
    }

    @Test func `tokens are long, distinct and have a recognizable prefix`() {
        let one = BearerToken().text
        #expect(one.hasPrefix("js_"))
        #expect(one.utf8.count == 46)
        #expect(one != BearerToken().text)
    }
}

@Suite struct `A private path` {
    @Test func `that is a link has the permissions of the file that it leads to`() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: "private-\(UUID().uuidString)").path
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? manager.removeItem(atPath: folder) }
        let link = folder + "/tokens"
        try TokenFile(path: folder + "/file").write([])
        try manager.createSymbolicLink(atPath: link, withDestinationPath: "file")
        #expect(PrivatePath(link, for: .tokens) == nil)
        try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: folder + "/file")
        #expect(PrivatePath(link, for: .tokens)?.text == "others may change \(link) (mode 666)")
    }
}

@Suite struct `Digests` {
    @Test func `are those of FIPS 180-4`() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(HexText.encode(SHA256.digest(of: Array("abc".utf8))) == expected)
        #expect(HexText.encode(SHA256.digest(of: [Array("a".utf8), Array("bc".utf8)])) == expected)
    }

    @Test func `compare by content and length`() {
        #expect(ConstantTime.equals([1, 2], [1, 2]))
        #expect(!ConstantTime.equals([1, 2], [1, 3]))
        #expect(!ConstantTime.equals([1, 2], [1]))
        #expect(ConstantTime.equals([], []))
    }
}
