import Foundation
import JobKit
import JobSpec
import JobStore
import SQLiteStore
import Testing

/// Opens a store in `directory`, hands it to `body` and closes it.
func withSQLite<Value>(
    _ directory: String, options: SQLiteOptions = SQLiteOptions(),
    _ body: (any JobStore) async throws -> Value
) async throws -> Value {
    let store = try DataDirectory(directory).open(options)
    do {
        let value = try await body(store)
        await store.close()
        return value
    } catch {
        await store.close()
        throw error
    }
}

/// Opens a store in `directory`, which must be refused, and returns the error.
func refusedOpening(_ directory: String) async throws -> JobStoreError {
    do {
        let store = try DataDirectory(directory).open()
        await store.close()
        throw Unexpected("the store was opened")
    } catch let error as JobStoreError {
        return error
    }
}

@Suite struct `A store in a file` {
    @Test func `has a log with preallocated space, which is not part of its content`() async throws {
        try await withDirectory { directory in
            let files = FileManager.default
            let length = {
                try files.attributesOfItem(atPath: directory + "/jobs.db-wal")[.size] as? Int ?? 0
            }
            try await withSQLite(directory) { store in
                var records = [try await store.add(.sample()), try await store.add(.sample())]
                let before = try length()
                #expect(before >= 512 << 10)
                for _ in 0..<5 { records.append(try await store.add(.sample())) }
                #expect(try length() == before)
                // The files as they are when the process is killed now.
                try await withDirectory { copy in
                    try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
                    for name in ["jobs.db", "jobs.db-wal"] {
                        try files.copyItem(atPath: directory + "/" + name, toPath: copy + "/" + name)
                    }
                    try await withSQLite(copy) { store in
                        let reader = try store.makeReader()
                        for record in records { #expect(try reader.job(record.id) == record) }
                        #expect(store.counts() == [.queued: 7])
                    }
                }
            }
        }
    }

    @Test func `is as it was after closing and opening`() async throws {
        try await withDirectory { directory in
            let label = JobSpec.Label(key: "team", value: "blue")
            let (queued, running) = try await withSQLite(directory) { store in
                let first = try await store.add(.sample("runs", priority: 9))
                let second = try await store.add(.sample("waits", labels: [label], dueAt: .noon(9), key: "k"))
                let claim = try await store.claimOne()
                try await store.update(
                    RunUpdate(claim: claim.key, journal: [.init(at: .noon, path: ["a"], event: .started)]))
                #expect(claim.record.id == first.id)
                return (second, claim)
            }
            try await withSQLite(directory) { store in
                let reader = try store.makeReader()
                #expect(store.counts() == [.running: 1, .scheduled: 1])
                #expect(try reader.job(queued.id) == queued)
                #expect(try reader.job(running.record.id) == running.record)
                #expect(try reader.journal(running.record.id, after: 0, limit: 9).count == 1)
                #expect(try await store.nextDueAt() == .noon(9))
                guard case .replayed = try await store.submit(.sample(key: "k")) else {
                    throw Unexpected("the key was forgotten")
                }
                #expect(try await store.recover() == 1)
                let names = try await store.claim(now: .noon(10)).map(\.record.name)
                #expect(names == ["runs", "waits"])
            }
        }
    }

    @Test func `can be opened again and again`() async throws {
        try await withDirectory { directory in
            for round in 0..<4 {
                try await withSQLite(directory) { store in
                    #expect(store.counts()[.queued] ?? 0 == round)
                    try await store.add(.sample())
                }
            }
        }
    }

    @Test func `belongs to one server at a time`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                let error = try await refusedOpening(directory)
                #expect(error.code == .unavailable)
                #expect(error.detail.contains(directory))
                #expect(error.detail.contains("process \(ProcessInfo.processInfo.processIdentifier)"))
                #expect(error.detail.contains("another data directory"))
                try await store.add(.sample())
            }
            try await withSQLite(directory) { #expect($0.counts() == [.queued: 1]) }
        }
    }

    @Test func `is readable by its owner only`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                try await store.add(.sample())
                func mode(_ path: String) throws -> Int? {
                    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                }
                #expect(try mode(directory) == 0o700)
                for file in try FileManager.default.contentsOfDirectory(atPath: directory) {
                    #expect(try mode(directory + "/" + file) == 0o600, "\(file)")
                }
            }
        }
    }

    @Test func `that is damaged reports it with a remedy`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { _ in }
            let path = directory + "/jobs.db"
            try Data(repeating: 0x2A, count: 20_000).write(to: URL(fileURLWithPath: path))
            let error = try await refusedOpening(directory)
            #expect(error.code == .corrupt)
            #expect(error.detail.contains(path))
            #expect(error.detail.contains("backup"))
        }
    }

    @Test func `that is damaged inside does not give wrong answers`() async throws {
        try await withDirectory { directory in
            let ids = try await withSQLite(directory) { store in
                var ids: [JobID] = []
                // The youngest thousand is counted at the start, which would not be possible then.
                for _ in 0..<1_900 { ids.append(try await store.add(.sample()).id) }
                return ids
            }
            let path = directory + "/jobs.db"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let first = bytes.count / 4_096 / 3
            let middle = first * 4_096..<(first + 6) * 4_096
            bytes.replaceSubrange(middle, with: Data(repeating: 0xFF, count: middle.count))
            try bytes.write(to: URL(fileURLWithPath: path))
            let store = try DataDirectory(directory).open()
            let reader = try store.makeReader()
            let codes = ids.map { id in
                do {
                    return try reader.job(id)?.id == id ? nil : JobStoreError.Code.missing(.job)
                } catch {
                    return (error as? JobStoreError)?.code ?? .missing(.job)
                }
            }
            #expect(codes.contains(.corrupt))
            #expect(codes.allSatisfy { $0 == nil || $0 == .corrupt })
            await store.close()
        }
    }

    @Test func `of a newer version is not changed`() async throws {
        try await withDirectory { directory in
            _ = try await withSQLite(directory) { try await $0.add(.sample()) }
            let path = directory + "/jobs.db"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // The header of a database keeps its version in the bytes 60 to 63.
            bytes.replaceSubrange(60..<64, with: [0, 0, 3, 0xE8])
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = try await refusedOpening(directory)
            #expect(error.code == .unavailable)
            #expect(error.detail.contains("newer version"))
            #expect(error.detail.contains("1000"))
        }
    }

    @Test func `of a version before the first release is not changed`() async throws {
        try await withDirectory { directory in
            _ = try await withSQLite(directory) { try await $0.add(.sample()) }
            let path = directory + "/jobs.db"
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            // The header of a database keeps its application id in the bytes 68 to 71.
            bytes.replaceSubrange(68..<72, with: [0, 0, 0, 0])
            try bytes.write(to: URL(fileURLWithPath: path))
            let error = try await refusedOpening(directory)
            #expect(error.code == .unavailable)
            #expect(error.detail.contains("before the first release") && error.detail.contains("--data"))
            let unread = #expect(throws: JobStoreError.self) { try DataDirectory(directory).examine() }
            #expect(unread?.detail.contains("before the first release") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
        }
    }

    @Test func `in an unusable directory reports the reason`() async throws {
        let error = try await refusedOpening("/proc/none/store")
        #expect(error.code == .unavailable)
        #expect(error.detail.contains("/proc/none/store"))
    }

    @Test func `reports a check on a thread with normal scheduling`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory) { store in
                let own = sched_getscheduler(0)
                let (result, policy) = await withCheckedContinuation { continuation in
                    store.checkIntegrity(readsFiles: true) {
                        continuation.resume(returning: ($0, sched_getscheduler(0)))
                    }
                }
                let report = try result.get()
                #expect(report.outcome == .sound)
                #expect(policy == own)
            }
        }
    }
}
