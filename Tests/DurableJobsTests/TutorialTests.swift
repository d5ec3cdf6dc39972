import DurableJobs
import Foundation
import JobKit
import JobSpec
import StrictJSON
import Testing

/// The programs of Docs/JobKit.md about durable jobs, which quotes each region word for word.
@Suite(.timeLimit(.minutes(2))) struct `The tutorial about durable jobs` {
    private let directory = NSTemporaryDirectory() + "tutorial-\(UUID().uuidString)"

    @Test func `starts, submits, waits, finds again and stops`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // region: durable start
        let jobs = try await JobEngine.start(at: directory, kinds: [thumbnail.kind])
        let job = try await jobs.submit(thumbnail, Picture(path: "cat.jpg", width: 200))
        let name = try await job.value  // 200-cat.jpg
        // end
        #expect(name == "200-cat.jpg")

        // region: durable settings
        let nightly = try await jobs.submit(
            thumbnail, Picture(path: "dog.jpg", width: 100),
            settings: [
                "queue": "images", "unique": "dog.jpg", "run_at": "8h",
                "retry": ["max_attempts": 5], "timeouts": ["total": "1m"],
            ],
            idempotencyKey: "upload-17")
        let poll = try await jobs.submit(
            json: """
                { "type": "group", "operations": [
                    { "type": "delay", "name": "pause", "for": "1d" },
                    { "type": "thumbnail", "after": ["pause"],
                      "parameters": { "path": "cat.jpg", "width": 50 } } ] }
                """)
        // end
        #expect(try await nightly.status.queue == "images")

        // region: durable handle
        let id = "\(nightly.id)"  // job_…, to keep
        if let known = JobID(id), let again = try await jobs.job(known, of: thumbnail) {
            print(try await again.status.state)  // scheduled
            try await again.cancel(reason: "The dog has left.")
        }
        for try await status in poll.changes {
            print(status.state, status.attempt, status.error?.detail ?? "")
            if status.state != .queued { break }  // running, then waiting
        }
        let failed = try await jobs.list(JobQuery(states: [.failed])).jobs
        // end
        #expect(try await nightly.waitUntilFinished().state == .cancelled)
        #expect(failed.isEmpty)
        #expect(try await poll.status.state.isFinal == false)

        // region: durable service
        let service = Task { await jobs.run() }
        service.cancel()
        await service.value
        // end
        await #expect(throws: JobEngineError.self) { try await jobs.list() }
    }
}
