import JobStore
import Testing

@testable import JobServer

@Suite struct `Places that callers share` {
    @Test func `are left to others by one that takes all it may have`() {
        var places = SharedPlaces<String>(256)
        var count = 0
        while places.take("one") == nil { count += 1 }
        #expect(count == 128)
        #expect(places.take("one") == .share(128))
        while places.take("two") == nil { count += 1 }
        #expect(count == 128 + 64)
        #expect(places.take("three") == nil)
    }

    @Test func `are free again when they are given back`() {
        var places = SharedPlaces<String>(2)
        #expect(places.take("one") == nil)
        #expect(places.take("one") == .share(1))
        #expect(places.take("two") == nil)
        #expect(places.take("three") == .full)
        places.giveBack("one")
        #expect(places.take("one") == nil)
        #expect(places.taken == 2)
    }

    @Test func `are half of four looks through ranges for one caller`() throws {
        let looks = RangeLooks()
        let (one, two) = (StreamOwner.tenant(Tenant("one")), StreamOwner.tenant(Tenant("two")))
        for _ in 0..<2 { try looks.begin(for: one) }
        #expect(throws: Problem.self) { try looks.begin(for: one) }
        try looks.begin(for: two)
        looks.end(for: two)
        looks.end(for: one)
        try looks.begin(for: one)
    }
}
