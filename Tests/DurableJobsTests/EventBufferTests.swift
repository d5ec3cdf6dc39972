import JobKit
import JobStore
import Testing

@testable import DurableJobs

@Suite struct `The events that are not read yet` {
    private func event(_ number: Int) -> JobEvent {
        JobEvent(JobChange(id: JobID(high: 0, low: UInt64(number)), state: .running, revision: 1))
    }

    @Test func `come in order, and the one behind lost ones tells how many they were`() async {
        let buffer = EventBuffer(eventsMax: 3)
        for number in 0..<5 { buffer.add(event(number)) }
        let first = await buffer.next()
        #expect(first?.id == event(2).id)
        #expect(first?.missed == 2)
        #expect(await buffer.next()?.missed == 0)
        for number in 5..<9 { buffer.add(event(number)) }
        buffer.finish()
        let next = await buffer.next()
        #expect(next?.id == event(6).id)
        #expect(next?.missed == 2)
        #expect(await buffer.next()?.id == event(7).id)
        #expect(await buffer.next()?.id == event(8).id)
        #expect(await buffer.next() == nil)
    }

    @Test func `tell that some are missing, also the one that is waited for`() async throws {
        let buffer = EventBuffer(eventsMax: 3)
        buffer.lose()
        buffer.add(event(1))
        #expect(await buffer.next()?.missed == 1)
        buffer.lose()
        let reader = Task { await buffer.next() }
        buffer.add(event(2))
        #expect(await reader.value?.missed == 1)
        buffer.add(event(3))
        #expect(await buffer.next()?.missed == 0)
    }

    @Test func `end when the one that waits for them is cancelled`() async {
        let buffer = EventBuffer(eventsMax: 3)
        let reader = Task { await buffer.next() }
        reader.cancel()
        #expect(await reader.value == nil)
        buffer.add(event(1))
        #expect(await buffer.next() == nil)
    }
}
