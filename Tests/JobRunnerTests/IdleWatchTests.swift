import Testing

@testable import JobRunner

@Suite struct `A look for whether a run is idle` {
    @Test func `is made once for all waits that begin at the same time`() {
        var watch = IdleWatch()
        let first = watch.waitBegan(isLong: false)
        let second = watch.waitBegan(isLong: false)
        #expect(first == .soon && second == nil)
        _ = watch.looks(.soon)
        let third = watch.waitBegan(isLong: false)
        #expect(third == .soon)
    }

    @Test func `is made later when there were many waits`() {
        var watch = IdleWatch()
        for _ in 0..<IdleWatch.soonMax {
            _ = watch.waitBegan(isLong: false)
            _ = watch.looks(.soon)
        }
        let look = watch.waitBegan(isLong: false)
        let next = watch.waitBegan(isLong: false)
        #expect(look == .later && next == nil)
    }

    @Test func `is not made when operations become idle before any wait`() {
        var watch = IdleWatch()
        let early = watch.operationBecameIdle()
        _ = watch.waitBegan(isLong: false)
        let late = watch.operationBecameIdle()
        #expect(early == nil && late == .later)
    }

    @Test func `has the noted entries stored when a wait is long`() {
        var watch = IdleWatch()
        _ = watch.waitBegan(isLong: false)
        let isShortStored = watch.looks(.soon)
        _ = watch.waitBegan(isLong: true)
        let isLongStored = watch.looks(.soon)
        let isStoredAgain = watch.looks(.later)
        #expect(!isShortStored && isLongStored && !isStoredAgain)
    }
}
