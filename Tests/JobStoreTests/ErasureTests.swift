import Foundation
import JobKit
import JobSpec
import JobStore
@testable import SQLiteStore
import Testing

@Suite struct `Erased content` {
    /// The text in all that is erased.
    private static let marker = "Zanzibar-0451"

    /// The files of a directory that have the marker, by their last components.
    private func finds(in directory: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            let content = FileManager.default.contents(atPath: directory + "/" + name)
            return content?.range(of: Data(Self.marker.utf8)) != nil
        }
    }

    /// Waits until no file has the marker. Returns those that have it after some seconds.
    private func left(in directory: String) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if finds(in: directory).isEmpty { return [] }
            try await Task.sleep(for: .milliseconds(5))
        }
        return finds(in: directory)
    }

    private func options(wipeMilliseconds: Int = 10) -> SQLiteOptions {
        var options = SQLiteOptions()
        options.wipeMilliseconds = wipeMilliseconds
        return options
    }

    /// Stores a job with the marker in whatever its client can write but its name, which stays in statistics, and
    /// cancels it.
    private func add(_ name: String = "gone", to store: any JobStore) async throws -> JobID {
        let marker = Self.marker
        let record = try await store.add(
            .sample(
                name, of: marker, labels: [JobSpec.Label(key: "who", value: marker)], key: marker,
                keyUntil: .noon(5),
                spec: #"{"type":"value","value":"\#(String(repeating: marker, count: 900))"}"#))
        _ = try await store.cancel(record.id)
        return record.id
    }

    @Test func `leaves all files of an idle store`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: options()) { store in
                let kept = try await store.add(.sample("kept"))
                let id = try await add(to: store)
                #expect(finds(in: directory).contains("jobs.db-wal"))
                try await store.erase(id)
                // Its idempotency key stays for a while.
                _ = try await store.sweep(now: .noon(6))
                #expect(try await left(in: directory) == [])
                #expect(try store.makeReader().job(kept.id) == kept)
                // The next writes go to the beginning of the log.
                let next = try await store.add(.sample("next"))
                #expect(try store.makeReader().job(next.id) == next)
            }
            try await withSQLite(directory) { #expect($0.counts()[.queued] == 2) }
        }
    }

    @Test func `leaves them with its name when its end is counted among others`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: options()) { store in
                for number in 0..<100 {
                    try await store.cancel(try await store.add(.sample("A-\(number)")).id, at: .noon(1))
                }
                let counting = StatsRollUp(now: .noon(600), limit: 1_000)
                #expect(try await store.perform(counting).count == 100)
                try await store.erase(try await add("\(Self.marker)-name", to: store))
                _ = try await store.sweep(now: .noon(6))
                #expect(try await store.perform(counting).count == 1)
                #expect(try await left(in: directory) == [])
            }
        }
    }

    @Test func `leaves them when its retention ends, and when it was a setting`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: options()) { store in
                let body = Array(Self.marker.utf8)
                for version in 0..<2 {
                    let draft = SettingDraft(
                        kind: .connection, name: "crm", updatedAt: .noon, updatedBy: "ada"
                    ) { _ in version == 0 ? body : [0x2A] }
                    let record = try await store.perform(draft)
                    #expect(record.setting.version == Int64(version) + 1)
                }
                #expect(try await left(in: directory) == [])
                _ = try await add(to: store)
                _ = try await store.sweep(now: .noon(86_400 * 400))
                #expect(try await left(in: directory) == [])
            }
        }
    }

    @Test func `stays in the log as long as a read needs it`() async throws {
        try await withDirectory { directory in
            try await withSQLite(directory, options: options()) { store in
                let id = try await add(to: store)
                let reader = try SQLiteConnection(
                    path: directory + "/jobs.db", mode: .readOnly, fileAccess: "unix-excl")
                try reader.execute("BEGIN")
                _ = try reader.number("SELECT count(*) FROM job")
                try await store.erase(id)
                _ = try await store.sweep(now: .noon(6))
                // Writes go on meanwhile.
                for _ in 0..<20 { try await store.add(.sample()) }
                #expect(finds(in: directory).contains("jobs.db-wal"))
                #expect(try reader.number("SELECT count(*) FROM job") == 1)
                try reader.execute("COMMIT")
                #expect(try await left(in: directory) == [])
                #expect(store.counts()[.queued] == 20)
            }
        }
    }

    @Test func `leaves the log that a killed server left`() async throws {
        try await withDirectory { directory in
            let other = directory + "-killed"
            defer { try? FileManager.default.removeItem(atPath: other) }
            try await withSQLite(directory, options: options(wipeMilliseconds: 3_600_000)) { store in
                let id = try await add(to: store)
                try await store.erase(id)
                _ = try await store.sweep(now: .noon(6))
                // The files as they are when the process is killed now.
                try FileManager.default.copyItem(atPath: directory, toPath: other)
            }
            #expect(finds(in: other).contains("jobs.db-wal"))
            let found = try await withSQLite(other, options: options()) { _ in try await left(in: other) }
            #expect(found == [])
        }
    }
}

@Suite struct `The emptying of the log` {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `waits a moment for further erasures, and longer on a busy store`() {
        var wipe = LogWipe(pauseMilliseconds: 1_000)
        #expect(!wipe.isPending)
        #expect(wipe.millisecondsLeft(at: at(0)) == nil)
        #expect(!wipe.isDue(at: at(9_000_000), isIdle: true))
        wipe.noteErasure(at: at(0))
        wipe.noteErasure(at: at(900))
        #expect(wipe.millisecondsLeft(at: at(200)) == 800)
        #expect(!wipe.isDue(at: at(999), isIdle: true))
        #expect(wipe.isDue(at: at(1_000), isIdle: true))
        #expect(!wipe.isDue(at: at(9_999), isIdle: false))
        #expect(wipe.isDue(at: at(10_000), isIdle: false))
        wipe.end(from: at(1_000), to: at(1_002), isDone: true)
        #expect(!wipe.isPending)
    }

    @Test func `is tried again as long as a reader needs the log, not at once`() {
        var wipe = LogWipe(pauseMilliseconds: 1_000)
        wipe.noteErasure(at: at(0))
        wipe.end(from: at(1_000), to: at(1_100), isDone: false)
        #expect(wipe.isPending)
        #expect(!wipe.isDue(at: at(6_099), isIdle: true))
        #expect(wipe.isDue(at: at(6_100), isIdle: false) == false)
        #expect(wipe.isDue(at: at(6_100), isIdle: true))
        #expect(wipe.millisecondsLeft(at: at(6_099)) == 1)
    }

    @Test(arguments: [(true, 5, 101), (true, 100, 21), (false, 5, 11), (false, 100, 11)])
    func `takes a small share of the time however much is erased`(isIdle: Bool, cost: Int, wipesMax: Int) {
        var wipe = LogWipe(pauseMilliseconds: 1_000)
        var (wipes, now) = (0, 0)
        while now < 100_000 {
            wipe.noteErasure(at: at(now))
            if wipe.isDue(at: at(now), isIdle: isIdle) {
                wipe.end(from: at(now), to: at(now + cost), isDone: true)
                wipes += 1
                now += cost
            }
            now += 10
        }
        #expect(wipes > 5 && wipes <= wipesMax, "\(wipes)")
    }
}
