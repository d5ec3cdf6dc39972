import ContentFiles
import Foundation
import JobKit
import JobStore
import SQLiteStore
import Synchronization
import Testing

/// A disk of 1,000,000 bytes of which 100,000 are kept.
private final class FakeDisk: Sendable {
    static let kept = 100_000
    private let bytes: Mutex<Int>

    init(free: Int) { bytes = Mutex(free) }

    var free: Int {
        get { bytes.withLock { $0 } }
        set { bytes.withLock { $0 = newValue } }
    }

    var reserve: DiskReserve {
        var reserve = DiskReserve(.bytes(Self.kept))
        reserve.read = { [self] _ in DiskSpace(free: free, total: 1_000_000) }
        return reserve
    }

    /// Opens a store on it that keeps content above 1,000 bytes in files.
    func withStore(
        _ directory: String, _ body: (any JobStore, any ArtifactPlace) async throws -> Void
    ) async throws {
        var options = SQLiteOptions()
        options.reserve = reserve
        var artifacts = ArtifactOptions { PlainSHA256() }
        artifacts.inlineBytesMax = 1_000
        options.artifacts = artifacts
        try await withSQLite(directory, options: options) { store in
            try await body(store, try #require(store.artifacts))
        }
    }
}

private func partials(_ directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory + "/artifacts/partial"))?.sorted() ?? []
}

/// Waits until this holds, at most five seconds.
private func soon(_ holds: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<500 {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}

@Suite struct `The reserve of a disk` {
    @Test func `is 5 % of it, at most 256 MiB, or what was asked for`() {
        func size(_ size: DiskReserve.Size, of total: Int) -> Int {
            size.bytes(of: DiskSpace(free: 0, total: total))
        }
        #expect(size(.standard, of: 64 << 20) == (64 << 20) / 20)
        #expect(size(.standard, of: 1 << 40) == 256 << 20)
        #expect(size(.bytes(7), of: 1 << 40) == 7)
    }

    @Test func `is not touched by content`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: FakeDisk.kept + 10_000)
            try await disk.withStore(directory) { _, place in
                let draft = place.draft(for: "a")
                try draft.append([UInt8](repeating: 1, count: 6_000).span)
                try await draft.sync()
                disk.free -= 6_000
                try draft.append([UInt8](repeating: 1, count: 3_000).span)
                try await draft.sync()
                disk.free -= 3_000
                let refused = await #expect(throws: ArtifactFailure.self) {
                    try draft.append([UInt8](repeating: 1, count: 3_000).span)
                    try await draft.sync()
                }
                #expect(refused?.code == .full)
                #expect(refused?.errorCode == .storageFull)
            }
        }
    }

    @Test func `refuses content of a known length that does not fit, and says what is missing`() async throws
    {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 110_000)
            try await disk.withStore(directory) { _, place in
                try place.checkRoom(for: 10_000)
                let refused = #expect(throws: ArtifactFailure.self) { try place.checkRoom(for: 10_001) }
                let detail = refused?.detail ?? ""
                #expect(detail.contains("needs 10001 bytes"))
                #expect(detail.contains("110000 free"))
                #expect(detail.contains("100000 of them are kept"))
                #expect(detail.contains("erase jobs"))
            }
        }
    }

    @Test func `costs the unfinished content that nobody writes, not that of a run`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 500_000)
            try await disk.withStore(directory) { store, place in
                let owner = try await store.add(.sample()).id.description
                let idle = try await place.partial(ArtifactKey(owner: owner, name: "idle"), keeping: 0)
                try idle.append([UInt8](repeating: 1, count: 9_000).span)
                #expect(await idle.close() == 9_000)
                let busy = try place.newPartial(ArtifactKey(owner: owner, name: "busy"))
                try busy.append([UInt8](repeating: 1, count: 9_000).span)
                try await busy.sync()
                #expect(partials(directory).count == 2)
                // What would not be enough is kept: a length is only a claim.
                disk.free = 50_000
                for bytes in [Int.max, Int.max - 10_000, 409_001] {
                    #expect(throws: ArtifactFailure.self) { try place.checkRoom(for: bytes) }
                }
                disk.free = 500_000
                #expect(throws: ArtifactFailure.self) { try place.checkRoom(for: 409_001) }
                #expect(partials(directory).count == 2)
                #expect(throws: ArtifactFailure.self) { try place.checkRoom(for: 400_001) }
                #expect(try await soon { partials(directory) == ["\(owner)~busy"] })
                // The resumed download begins anew.
                let again = try await place.partial(ArtifactKey(owner: owner, name: "idle"), keeping: 9_000)
                #expect(again.byteCount == 0)
                guard case .artifact = try await busy.finish() else { throw Unexpected("memory") }
            }
        }
    }

    @Test func `is for deletions, cancellations and the ends of runs, not for new jobs`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 500_000)
            try await disk.withStore(directory) { store, place in
                let first = try await store.add(.sample("first"))
                let second = try await store.add(.sample("second"))
                let claim = try await store.claimOne()
                let artifact = try await place.keepFile(6_000, for: "x")
                disk.free = FakeDisk.kept - 1
                try await Task.sleep(for: .milliseconds(150))
                #expect(await refusal { try await store.submit(.sample()) } == .diskFull)
                let batch = await refusal { _ = try await store.submit([.sample()], isAtomic: true) }
                #expect(batch == .diskFull)
                guard case .low(let detail) = store.condition else { throw Unexpected("\(store.condition)") }
                #expect(detail.contains("99999 bytes free") && detail.contains("--disk-reserve"))
                #expect(store.condition.refusal?.code == .diskFull)
                let other = claim.record.id == first.id ? second.id : first.id
                try await store.cancel(other)
                try await store.erase(other)
                let ended = try await store.finish(claim, with: artifact)
                #expect(ended == claim.record.id)
                disk.free = 500_000
                // Noticed without a write.
                #expect(try await soon { store.condition == .sound })
                try await store.add(.sample("third"))
            }
        }
    }

    @Test func `leaves the planned times of schedules waiting, and none out`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 0)
            try await disk.withStore(directory) { store, _ in
                var progress = ScheduleProgress()
                (progress.next, progress.wakeAt) = (.noon, .noon)
                let record = ScheduleRecord(
                    name: "nightly", version: 1, body: Array("{}".utf8), updatedAt: .noon, updatedBy: "ada",
                    progress: progress)
                let job = NewJob.sample("report")
                let planned = ScheduleChange.Planned(
                    Occurrence(scheduledFor: .noon, outcome: .job(job.record.id), decidedAt: .noon), job: job)
                func settle(_ planned: [ScheduleChange.Planned], of revision: Int64?) async throws {
                    let change = ScheduleChange(of: revision, to: record, planned: planned)
                    try await store.perform(change)
                }
                try await settle([], of: nil)
                #expect(await refusal { try await settle([planned], of: 1) } == .diskFull)
                #expect(try store.makeReader().occurrences(of: "nightly", OccurrenceQuery(limit: 9)).isEmpty)
                disk.free = 500_000
                #expect(try await soon { store.condition == .sound })
                try await settle([planned], of: 1)
                #expect(try await store.claimOne().record.id == job.record.id)
            }
        }
    }

    @Test func `is not touched by a backup, of which nothing is begun`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 500_000)
            try await disk.withStore(directory) { store, _ in
                try await store.add(.sample())
                func backUp() async throws -> BackupSummary {
                    try await store.answer {
                        (reply: @escaping StoreReply<BackupSummary>) in
                        store.backUp(to: directory + "/copy", reply: reply)
                    }
                }
                disk.free = FakeDisk.kept + 10_000
                #expect(await refusal { _ = try await backUp() } == .diskFull)
                #expect(!FileManager.default.fileExists(atPath: directory + "/copy"))
                disk.free = 100 << 20
                #expect(try await backUp().jobs == 1)
            }
        }
    }

    @Test func `is kept in a shared directory, too`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: FakeDisk.kept + 5_000)
            let shared = try FolderBackend(directory, reserve: disk.reserve)
            let file = directory + "/content"
            try Data(repeating: 7, count: 6_000).write(to: URL(filePath: file))
            let artifact = ArtifactReference(sha256: String(repeating: "ab", count: 32), bytes: 6_000)
            let refused = await #expect(throws: ArtifactFailure.self) {
                try await shared.put(artifact, from: file)
            }
            #expect(refused?.code == .full)
            disk.free = 500_000
            try await shared.put(artifact, from: file)
            #expect(try await shared.bytes(0..<6_000, of: artifact).count == 6_000)
        }
    }

    @Test func `is counted with what the store takes`() async throws {
        try await withDirectory { directory in
            let disk = FakeDisk(free: 500_000)
            for round in 0..<2 {
                try await disk.withStore(directory) { store, place in
                    if round == 0 {
                        try await store.add(.sample("job"))
                        let artifact = try await place.keepFile(6_000, for: "x")
                        _ = try await store.finish(try await store.claimOne(), with: artifact)
                    }
                    #expect(try await soon { store.space?.contentBytes == 6_000 })
                    let draft = try place.newPartial(ArtifactKey(owner: "a", name: "b"))
                    try draft.append([UInt8](repeating: 1, count: 2_000).span)
                    try await draft.sync()
                    let space = try #require(store.space)
                    #expect(space.freeBytes == 500_000)
                    #expect(space.reserveBytes == FakeDisk.kept)
                    #expect(space.unfinishedBytes == 2_000)
                    #expect(try #require(space.databaseBytes) > 0)
                    draft.discard()
                    guard round == 1 else { return }
                    let job = try #require(try store.makeReader().list(JobListQuery()).jobs.first)
                    try await store.erase(job.id)
                    #expect(try await soon { store.space?.contentBytes == 0 })
                }
            }
        }
    }
}

extension ArtifactPlace {
    fileprivate func keepFile(_ count: Int, for owner: String) async throws -> ArtifactReference {
        let draft = draft(for: owner)
        try draft.append([UInt8](repeating: 7, count: count).span)
        guard case .artifact(let artifact) = try await draft.finish() else { throw Unexpected("memory") }
        return artifact
    }
}
