import Foundation
import ScratchPostgres
import StrictJSON
import Testing

/// `jobserver copy` of a store with content in files.
@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A copy with content` {
    @Test func `counts all files, and ends with an error that names those that the source lacks`() throws {
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let server = try LiveProgram(directory: home)
        for byte in [65, 66, 67] as [UInt8] {
            let origin = Origin(Array(repeating: byte, count: 300_000))
            try server.rest(try server.submit(#"{"type": "network", "request": "\#(origin.url)"}"#))
        }
        #expect(server.stop() == 0)
        let data = home.appending(path: "data").path
        func copy() throws -> (ended: LiveServer.Ended, place: SharedPlace) {
            let place = SharedPlace()
            let flags = try place.flags().map { $0 == "--store" ? "--to" : $0 }
            return (try LiveServer.command(["copy", "--from", data] + flags), place)
        }
        let whole = try copy()
        #expect(whole.ended.code == 0, "\(whole.ended)")
        #expect(whole.ended.output.contains("and 3 artifacts copied"), "\(whole.ended.output)")

        let names = try #require(FileManager.default.enumerator(atPath: data + "/artifacts"))
        let files = names.compactMap { $0 as? String }.filter { $0.utf8.count > 60 }.sorted()
        #expect(files.count == 3)
        try FileManager.default.removeItem(atPath: "\(data)/artifacts/\(files[0])")
        try Data("cut".utf8).write(to: URL(filePath: "\(data)/artifacts/\(files[1])"))
        let some = try copy()
        #expect(some.ended.code == 1, "\(some.ended)")
        #expect(some.ended.errors.contains("and 1 artifact copied"), "\(some.ended.errors)")
        for (file, isLost) in zip(files, [true, true, false]) {
            #expect(some.ended.errors.contains(file.filter { $0 != "/" }) == isLost, "\(some.ended.errors)")
        }
    }
}
