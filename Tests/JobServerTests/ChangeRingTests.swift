import EventIO
import JobKit
import JobSpec
import JobStore
import Testing

@testable import JobServer

@Suite struct `The ring of changes` {
    private func change(_ number: Int64) -> JobChange {
        JobChange(id: JobID(high: 1, low: UInt64(number)), state: .running, revision: number)
    }

    private func ring(of count: Int, capacity: Int = 4) -> ChangeRing {
        var ring = ChangeRing(capacity: capacity)
        for number in 0..<count { ring.append(change(Int64(number) + 1)) }
        return ring
    }

    private func revisions(_ ring: ChangeRing, from number: UInt64) -> [Int64]? {
        ring.changes(from: number)?.map(\.revision)
    }

    @Test func `of a feed leaves out what is outdated, and loses all when some may be missing`() throws {
        let loop = try EventLoop(name: "streams")
        let feed = ChangeFeed(life: "a")
        guard case .opened = feed.enter(on: loop, for: .client(.token("a"))) else {
            Issue.record("The stream was refused.")
            return
        }
        let first = feed.next
        var outdated = change(1)
        outdated.isOutdated = true
        feed.observe([change(2), outdated])
        #expect(feed.changes(from: first)?.map(\.revision) == [2])
        feed.skip()
        #expect(feed.changes(from: first) == nil)
        #expect(feed.changes(from: feed.next)?.isEmpty == true)
    }

    @Test func `gives changes by their numbers, in order`() {
        let ring = ring(of: 3)
        #expect(revisions(ring, from: 1) == [1, 2, 3])
        #expect(revisions(ring, from: 2) == [2, 3])
        #expect(revisions(ring, from: 4) == [])
        #expect(revisions(ring, from: 5) == nil)
        #expect(revisions(ring, from: 0) == nil)
    }

    @Test(arguments: [5, 9, 10, 11]) func `keeps the latest`(_ count: Int) {
        let ring = ring(of: count)
        let latest = Int64(count)
        #expect(revisions(ring, from: UInt64(count) - 3) == Array(latest - 3...latest))
        #expect(revisions(ring, from: UInt64(count) - 4) == nil)
    }

    @Test(arguments: 0...9) func `gives out no number twice after a reset`(_ count: Int) {
        var ring = ring(of: count)
        let before = ring.next
        ring.reset()
        #expect(ring.next > before)
        #expect(revisions(ring, from: before) == nil)
        for number in 0..<6 { ring.append(change(Int64(100 + number))) }
        #expect(revisions(ring, from: ring.next - 4) == [102, 103, 104, 105])
    }
}

@Suite struct `The filter of a stream` {
    @Test func `matches by all of its parts`() {
        var change = JobChange(
            id: JobID(high: 1, low: 1), state: .failed, revision: 1, name: "a", queue: "mail")
        change.labels = [.init(key: "team", value: "red"), .init(key: "area", value: "x")]
        (change.key, change.endCode) = ("c-1", "http.status")
        func matches(_ narrow: (inout JobListQuery) -> Void) -> Bool {
            var query = JobListQuery()
            narrow(&query)
            return ChangeFilter(query: query).matches(change)
        }
        #expect(ChangeFilter().matches(change))
        #expect(matches { ($0.states, $0.queue, $0.name) = ([.failed, .cancelled], "mail", "a") })
        #expect(matches { $0.labels = [.init(key: "area", value: "x")] })
        #expect(!matches { $0.labels = [.init(key: "area", value: "y")] })
        #expect(!matches { $0.states = [.queued] })
        #expect(!matches { $0.name = "b" })
        #expect(!matches { ($0.queue, $0.name) = ("other", "a") })
        #expect(matches { ($0.queueKey, $0.errorCode, $0.namePrefix) = ("c-1", "http.status", "a") })
        #expect(!matches { $0.queueKey = "c-2" })
        #expect(!matches { $0.errorCode = "timeout" })
        #expect(!matches { $0.namePrefix = "ab" })
        #expect(!matches { $0.waitKind = .signal })
        (change.state, change.waitKinds, change.awaitedOrigins) = (
            .waiting, [.signal, .origin], ["https://a.example"]
        )
        #expect(matches { $0.waitKind = .signal })
        #expect(!matches { $0.waitKind = .time })
        #expect(matches { $0.origins = ["https://a.example", "http://a.example"] })
        #expect(!matches { $0.origins = ["https://b.example"] })
    }
}
