import ContentFiles
import Foundation
import HTTPMessage
import JobJournal
import JobKit
import SQLiteStore
import Synchronization
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A map over many lines` {
    private static let spec = #"""
        {"type": "group", "operations": [
          {"type": "network", "name": "list", "request": "https://a.example/list"},
          {"type": "group", "name": "each", "map": {"items": {"$lines": "list"}, "concurrency": 2,
            "operation": {"type": "network", "name": "one", "on_failure": "continue", "retry": {"max_attempts": 1},
              "request": {"method": "PUT", "url": "https://b.example/", "json": {"$item": ""}}}}}]}
        """#
    private static let lines = 200

    /// An engine whose parts have ten lines.
    /// - Parameter hangs: the line whose call is never answered.
    private func bench(_ store: any JobStore, hangs: Int = 0) async throws -> Bench {
        var settings = RunnerSettings()
        settings.limits.run.partLines = 10
        settings.limits.run.partsShown = 2
        return try await Bench(store: store, settings: settings) { call, _ in
            if call.url.hasSuffix("list") {
                return .json(200, (1...Self.lines).map { "\($0)\n" }.joined())
            }
            let line = String(decoding: call.body ?? [], as: UTF8.self)
            if line == "\(hangs)" { await untilCancelled() }
            return .json(line.hasSuffix("7") ? 404 : 200, line)
        }
    }

    @Test func `keeps the journal short, so that a restart reads one part, with the errors of members`()
        async throws
    {
        let directory = NSTemporaryDirectory() + "longmap-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = SQLiteOptions()
        options.artifacts = ArtifactOptions { PlainDigest() }
        var store = try DataDirectory(directory).open(options)
        let first = try await bench(store, hangs: 175)
        let id = try await first.submit(Self.spec)
        var reader = try store.makeReader()
        // All others of the part of the line that is never answered.
        while first.transport.calls.count < 181, try reader.job(id)?.state.isFinal == false {
            try await Task.sleep(for: .milliseconds(2))
        }
        try #require(first.transport.calls.count == 181)
        // The part that runs, three entries of each part before, and an error in each.
        let journal = try reader.journal(id, after: 0, limit: 10_000)
        #expect(journal.count < 160, "\(journal.count) entries")
        #expect(try #require(journal.last).sequence > 600)
        first.kill()
        await store.close()
        store = try DataDirectory(directory).open(options)
        reader = try store.makeReader()
        let second = try await bench(store)
        let record = try await second.finished(id)
        #expect(record.state == .succeeded, "\(String(describing: record.error))")
        #expect(second.transport.calls.count <= 26, "what had ended is not called again")
        let result = try #require(try reader.artifacts(id).last { $0.path == ["each"] })
        #expect(
            result.artifact.bytes
                == (1...Self.lines).reduce(0) { bytes, line in
                    bytes + (line % 10 == 7 ? "null" : "\(line)").utf8.count + 1
                })
        let views = try second.views(id)
        #expect(views["each/3/7"]?.errors.first?.code == .httpStatus)
        #expect(views["each/3/7"]?.state == .failed)
        #expect(views["each/3/6"] == nil, "what succeeded in a part that was forgotten is in the file alone")
        #expect(views["each/3"]?.state == .succeeded)
        second.kill()
        await store.close()
    }
}

/// A digest that only tells contents apart.
private final class PlainDigest: RunningDigest {
    private let hash = Mutex<UInt64>(5_381)

    func update(_ bytes: Span<UInt8>) {
        hash.withLock { hash in for index in bytes.indices { hash = hash &* 33 ^ UInt64(bytes[index]) } }
    }

    func finish() -> [UInt8] {
        let hash = hash.withLock { $0 }
        return (0..<32).map { UInt8(truncatingIfNeeded: hash >> ($0 % 8 * 8)) }
    }
}
