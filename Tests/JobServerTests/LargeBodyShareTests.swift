@testable import JobServer
import Testing

@Suite struct `The places of large bodies` {
    @Test func `are left to others by one that takes all it may have`() {
        var places = LargeBodies.Places()
        var count = 0
        while places.take("one") == nil { count += 1 }
        #expect(count == LargeBodies.requestsMax / 2)
        #expect(places.take("one")?.kind == .clientLimited)
        #expect(places.take("two") == nil)
    }

    @Test func `are free again when a request was served`() {
        var places = LargeBodies.Places()
        while places.take("one") == nil {}
        places.giveBack("one")
        #expect(places.take("one") == nil)
        #expect(places.take("one") != nil)
    }
}
