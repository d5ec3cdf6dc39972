import Foundation
import ScratchPostgres
import Testing

/// A store that an older server left when it was killed, of `Tests/Data`.
struct ReleasedStore: CustomTestStringConvertible, Sendable {
    /// Such as `jobs-shape-1.db`.
    let file: String

    var testDescription: String { file }
    var isShared: Bool { file.hasSuffix(".sql") }

    /// All of them that can be opened on this machine.
    static let all: [ReleasedStore] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let stores = files.filter { $0.hasSuffix(".gz") }.sorted().map {
            ReleasedStore(file: String($0.dropLast(3)))
        }
        return stores.filter { !$0.isShared || PostgresServer.isInstalled }
    }()

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Data").standardizedFileURL

    /// A server of today on a copy of the store.
    func open() throws -> LiveServer {
        let home = LiveServer.temporaryDirectory()
        let packed = Self.folder.appending(path: "\(file).gz")
        let content = home.appending(path: file)
        try "".write(to: content, atomically: false, encoding: .utf8)
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/bin/gzip")
        gzip.arguments = ["-dc", packed.path]
        gzip.standardOutput = try FileHandle(forWritingTo: content)
        try gzip.run()
        gzip.waitUntilExit()
        try #require(gzip.terminationStatus == 0)
        return isShared ? try shared(content, home) : try embedded(content, home)
    }

    private func embedded(_ content: URL, _ home: URL) throws -> LiveServer {
        let data = home.appending(path: "data")
        try FileManager.default.createDirectory(
            at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.moveItem(at: content, to: data.appending(path: "jobs.db"))
        return try LiveServer(directory: home)
    }

    private func shared(_ content: URL, _ home: URL) throws -> LiveServer {
        let database = try #require(PostgresServer.shared)
        let schema = PostgresServer.freshSchema()
        let dump = try String(contentsOf: content, encoding: .utf8)
        try dump.replacing("released", with: schema).write(to: content, atomically: true, encoding: .utf8)
        let loaded = try LiveServer.run(
            URL(filePath: "/usr/bin/psql"),
            ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.address, "-f", content.path])
        try #require(loaded.code == 0, "\(loaded.errors)")
        return try LiveServer(
            [
                "--store", database.address, "--schema", schema, "--artifacts",
                home.appending(path: "artifacts").path,
            ], directory: home)
    }
}
