import JobKit
import JobSpec
import JobStore
import Testing

@testable import PostgresStore

@Suite struct `Numbers of jobs` {
    @Test func `rise, whatever the clock does`() {
        var numbers = JobNumbers(slot: 5)
        let times = [0, 0, 1, -7, 1, 2] + [Int64](repeating: 2, count: 5_000) + [1, 3, 4, 9]
        let made = times.map { numbers.next(at: Timestamp(milliseconds: 1_800_000_000_000 + $0)) }
        #expect(zip(made, made.dropFirst()).allSatisfy { $0 < $1 })
        #expect(made.allSatisfy { $0 > 0 && $0 >> 12 & 0x3FF == 5 })
    }

    @Test func `rise above one that another server made`() {
        let noon = Timestamp(milliseconds: 1_800_000_000_000)
        var (numbers, others) = (JobNumbers(slot: 5), JobNumbers(slot: 900))
        let first = numbers.next(at: noon)
        let other = others.next(at: noon.advanced(by: .seconds(60)))
        let made = [numbers.next(after: other), numbers.next(after: other), numbers.next(at: noon)]
        #expect(first < other && other < made[0] && made[0] < made[1] && made[1] < made[2])
        #expect(made.allSatisfy { $0 >> 12 & 0x3FF == 5 })
    }
}

@Suite struct `News of a commit` {
    @Test func `are read as they were written`() {
        var news = CommitNews()
        news.changesSettings = true
        news.counts.add(-3, to: .queued)
        news.counts.add(3, to: .skipped)
        let id = JobID(high: 1 << 63 | 7, low: 9)
        news.changes = [
            JobChange(id: id, state: .waiting, revision: 1 << 40, dueAt: Timestamp(milliseconds: -5)),
            JobChange(id: id, state: nil, revision: 2),
        ]
        news.changes[1].hasCallbacks = true
        news.changes[0].hasOnlyEntries = true
        (news.changes[0].name, news.changes[0].type, news.changes[0].queue) = ("é", "network", "mail")
        news.changes[0].labels = [.init(key: "team", value: "red"), .init(key: "area", value: "")]
        (news.changes[0].key, news.changes[0].endCode) = ("c\n1", "http.status")
        news.changes[0].waitKinds = [.signal, .origin]
        news.changes[0].awaitedOrigins = ["https://a.example", "https://b.example"]
        let entry = JournalEntry(
            at: Timestamp(milliseconds: 7), path: [], event: .cancelRequested(by: "ada", reason: "é"))
        news.requests = [RunRequest(id: id, journal: entry, number: 9), RunRequest(id: id, journal: entry)]
        news.note(claimableAt: Timestamp(milliseconds: -8))
        news.note(claimableAt: Timestamp(milliseconds: 8))
        let read = CommitNews(decoding: news.encoded())
        #expect(read.firstClaimable?.milliseconds == -8)
        #expect(read.requests.map(\.id) == [id, id])
        #expect(read.requests.map(\.number) == [9, 0])
        #expect(read.requests.map(\.journal) == [entry, entry])
        #expect(read.changesSettings)
        #expect(read.counts == news.counts)
        #expect(read.changes.map(\.id) == [id, id])
        #expect(read.changes.map(\.state) == [.waiting, nil])
        #expect(read.changes.map(\.revision) == [1 << 40, 2])
        #expect(read.changes.map(\.dueAt?.milliseconds) == [-5, nil])
        #expect(read.changes.map(\.hasCallbacks) == [false, true])
        #expect(read.changes.map(\.hasOnlyEntries) == [true, false])
        #expect(
            read.changes.map { [$0.name, $0.type, $0.queue] } == [["é", "network", "mail"], ["", "", ""]])
        #expect(read.changes.map(\.labels) == news.changes.map(\.labels))
        #expect(read.changes.map(\.key) == ["c\n1", nil])
        #expect(read.changes.map(\.endCode) == ["http.status", nil])
        #expect(read.changes.map(\.waitKinds) == [[.signal, .origin], []])
        #expect(read.changes.map(\.awaitedOrigins) == news.changes.map(\.awaitedOrigins))
    }

    @Test func `that a newer program wrote are passed over`() {
        var bytes = CommitNews().encoded()
        bytes[0] = 99
        #expect(CommitNews(decoding: bytes).isEmpty)
        #expect(CommitNews(decoding: []).isEmpty)
    }
}
