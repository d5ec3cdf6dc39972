import EventIO
import JobKit
import JobStore
import Testing

@testable import JobServer

@Suite struct `The share of event streams` {
    private func token(_ name: String) -> StreamOwner { .client(.token(name)) }

    /// Opens streams for an owner until it is refused, and returns their number.
    private func fill(_ feed: ChangeFeed, _ loop: EventLoop, for owner: StreamOwner) -> Int {
        var count = 0
        while case .opened = feed.enter(on: loop, for: owner) { count += 1 }
        return count
    }

    @Test func `of a caller is half of what the others leave`() throws {
        let loop = try EventLoop(name: "streams")
        let feed = ChangeFeed(life: "a")
        let half = ChangeFeed.streamsMax / 2
        #expect(fill(feed, loop, for: token("greedy")) == half)
        guard case .limited(count: half) = feed.enter(on: loop, for: token("greedy")) else {
            Issue.record("One more than the share was opened.")
            return
        }
        // The next ones have their share, too, and each may have one at least.
        #expect(fill(feed, loop, for: token("second")) == half / 2)
        for number in 1...100 {
            guard case .opened = feed.enter(on: loop, for: token("other \(number)")) else {
                Issue.record("Another caller was refused.")
                return
            }
        }
    }

    @Test func `is free again when streams have ended`() throws {
        let loop = try EventLoop(name: "streams")
        let feed = ChangeFeed(life: "a")
        let count = fill(feed, loop, for: token("greedy"))
        for _ in 1...count { feed.leave(token("greedy")) }
        #expect(feed.streamCount == 0)
        #expect(fill(feed, loop, for: token("greedy")) == count)
    }
}
