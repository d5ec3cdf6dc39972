import JobStore
import Testing

@testable import JobRunner

@Suite struct `The pace of sweeps` {
    /// Sweeps under a steady load of jobs a second, without the time that a sweep takes, and returns the largest sweep
    /// and the longest backlog of the last half.
    private func sweep(_ rate: Double, seconds: Double) -> (limit: Int, backlog: Int) {
        var pace = SweepPace(longest: .seconds(1))
        var (time, backlog, largest, worst) = (0.0, 0.0, 0, 0.0)
        while time < seconds {
            let wait = pace.pause / .seconds(1)
            time += wait
            backlog += rate * wait
            if time > seconds / 2 { (largest, worst) = (max(largest, pace.limit), max(worst, backlog)) }
            let done = min(Double(pace.limit), backlog.rounded(.down))
            backlog -= done
            pace.note(done >= Double(pace.limit) ? .limit : .whole)
        }
        return (largest, Int(worst))
    }

    @Test func `keeps sweeps small as long as they keep up`() {
        for rate in [1, 100, 5_000, 20_000] {
            let found = sweep(Double(rate), seconds: 60)
            #expect(found.limit == 50, "\(rate)/s: \(found)")
            #expect(found.backlog <= 200, "\(rate)/s: \(found)")
        }
    }

    @Test func `makes larger sweeps where small ones fall behind`() {
        let found = sweep(100_000, seconds: 60)
        #expect(found.limit > 50)
        #expect(found.backlog <= 800, "\(found)")
    }

    @Test func `goes on at once, and makes no larger ones, while what is erased is large`() {
        var pace = SweepPace(longest: .seconds(1))
        for _ in 0..<30 {
            pace.note(.bytes)
            #expect(pace.pause == .milliseconds(1) && pace.limit == 50)
        }
    }

    @Test func `rests when nothing is left`() {
        var pace = SweepPace(longest: .seconds(1))
        for _ in 0..<30 { pace.note(.limit) }
        #expect(pace.pause == .milliseconds(1) && pace.limit == 400)
        for _ in 0..<30 { pace.note(.whole) }
        #expect(pace.pause == .seconds(1) && pace.limit == 50)
    }
}
