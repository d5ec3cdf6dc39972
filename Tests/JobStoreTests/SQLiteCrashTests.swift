import Foundation
import JobKit
import JobStore
import Testing

/// Another process that submits jobs and prints the ids of those that were acknowledged.
private struct Victim {
    private let process = Process()
    private let output = Pipe()
    private var text = Data()

    init(directory: String) throws {
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent()
        process.executableURL = programs.appendingPathComponent("StoreRate")
        process.arguments = [directory, "--crash-writer"]
        process.standardOutput = output
        try process.run()
    }

    var number: Int32 { process.processIdentifier }

    /// Waits for the first acknowledgement.
    mutating func waitForFirst() throws {
        while text.isEmpty {
            let part = output.fileHandleForReading.availableData
            if part.isEmpty { throw Unexpected("the writer ended by itself") }
            text += part
        }
    }

    /// Kills it and returns the ids that it acknowledged.
    mutating func kill() throws -> [JobID] {
        Glibc.kill(process.processIdentifier, SIGKILL)
        text += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let lines = String(decoding: text, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().compactMap { JobID($0) }
    }
}

@Suite(.serialized) struct `A server that is killed` {
    @Test func `has lost no job that it acknowledged`() async throws {
        try await withDirectory { directory in
            var all: [JobID] = []
            for _ in 0..<50 {
                var victim = try Victim(directory: directory)
                try victim.waitForFirst()
                try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000)))
                let ids = try victim.kill()
                #expect(!ids.isEmpty)
                all += ids
                try await withSQLite(directory) { store in
                    let reader = try store.makeReader()
                    #expect(try ids.allSatisfy { try reader.job($0) != nil })
                    #expect(try ids.allSatisfy { try reader.spec($0)?.count == 300 })
                    #expect(store.counts()[.queued] ?? 0 >= all.count)
                }
            }
            try await withSQLite(directory) { store in
                let reader = try store.makeReader()
                #expect(try all.allSatisfy { try reader.job($0) != nil })
                #expect(Set(all).count == all.count)
            }
        }
    }

    @Test func `holds its directory until then`() async throws {
        try await withDirectory { directory in
            var victim = try Victim(directory: directory)
            try victim.waitForFirst()
            let error = try await refusedOpening(directory)
            #expect(error.code == .unavailable)
            #expect(error.detail.contains(directory))
            #expect(error.detail.contains("process \(victim.number)"))
            _ = try victim.kill()
            try await withSQLite(directory) { #expect($0.counts()[.queued] ?? 0 > 0) }
        }
    }
}
