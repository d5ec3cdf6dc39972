import JobKit
import JobStore
import Testing

@testable import DurableJobs

@Suite(.timeLimit(.minutes(1))) struct `The feed of a job's changes` {
    /// The runtime ends the stream of a cancelled task while it holds the task, which a change must hold to wake it.
    @Test(arguments: [true, false])
    func `lets a task go that is cancelled while the job changes`(ofOneJob: Bool) async {
        let feed = JobFeed()
        let change = JobChange(id: JobID(high: 0, low: 1), state: .running, revision: 1)
        var ended = 0
        let writer = Task { while !Task.isCancelled { feed.observe([change]) } }
        for _ in 0..<3_000 {
            let events = ofOneJob ? feed.latest(of: change.id) : feed.events(eventsMax: 10)
            let reader = Task { for await _ in events {} }
            await Task.yield()
            reader.cancel()
            await reader.value
            ended += 1
        }
        writer.cancel()
        await writer.value
        #expect(ended == 3_000)
    }
}
