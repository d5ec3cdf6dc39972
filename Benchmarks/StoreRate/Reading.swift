import JobKit
import JobStore

/// Point reads from one thread.
enum Reading {
    static func run(_ store: any JobStore, _ ids: [JobID], _ options: RateOptions, _ which: String)
        async throws
    {
        if ids.isEmpty { return }
        let reader = try store.makeReader()
        var random = SmallRandom(state: 1)
        let watch = Stopwatch()
        let end = ContinuousClock.now + .seconds(options.seconds)
        var count = 0
        while ContinuousClock.now < end {
            for _ in 0..<1_000 {
                let id = ids[Int(random.next(upperBound: UInt64(ids.count)))]
                if try reader.job(id) == nil { preconditionFailure("a job is lost") }
            }
            count += 1_000
        }
        watch.report("read one of \(which)", count, "reads")
    }
}
