import Foundation
import Testing

@Suite struct `A server in a program` {
    @Test func `has closed its port and every file of its directory when it has stopped`() throws {
        let directory = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: directory) }
        var server: LiveServer? = try LiveServer(directory: directory)
        let url = try #require(server?.url)
        #expect(try server?.post("/v1/jobs", #"{"type": "delay", "for": "1h"}"#).status == 202)
        #expect(try server?.get("/v1/jobs").at("/items/0/state") != nil)
        #expect(!Self.openFiles(in: directory).isEmpty)
        server = nil
        #expect(Self.openFiles(in: directory) == [])
        #expect(PlainRequest("GET", url + "/healthz", headers: [], body: nil)?.send().status == 0)
        let next = try LiveServer(directory: directory)
        #expect(try next.get("/v1/jobs").at("/items/0/state") != nil)
    }

    /// The paths of the files that this process has open in a directory.
    private static func openFiles(in directory: URL) -> [String] {
        let (files, open) = (FileManager.default, "/proc/self/fd")
        let names = (try? files.contentsOfDirectory(atPath: open)) ?? []
        let paths = names.compactMap { try? files.destinationOfSymbolicLink(atPath: "\(open)/\($0)") }
        return paths.filter { $0.hasPrefix(directory.path) }
    }
}
