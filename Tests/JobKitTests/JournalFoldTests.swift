import JobKit
import Testing

@Suite struct `A journal of several tries` {
    private func entry(_ seconds: Int, _ event: JournalEntry.Event) -> JournalEntry {
        JournalEntry(at: at(seconds), path: event.isOfJob ? [] : ["a"], event: event)
    }

    private func at(_ seconds: Int) -> Timestamp {
        Timestamp(milliseconds: 1_800_000_000_000).advanced(by: .seconds(seconds))
    }

    private func began(_ number: Int) -> JournalEntry.Event {
        .attemptStarted(number: number, method: "POST", url: "https://x.example/")
    }

    private func ended(_ number: Int, _ outcome: AttemptRecord.Outcome) -> JournalEntry.Event {
        .attemptFinished(AttemptRecord(number: number, startedAt: at(0), finishedAt: at(5), outcome: outcome))
    }

    @Test func `counts no attempt of an earlier try, not even one that never ended`() throws {
        var fold = JournalFold([
            entry(0, .started), entry(0, began(1)), entry(1, ended(1, .failed)), entry(2, began(2)),
            entry(5, .finished(OperationEnding(state: .failed))), entry(60, .retried(by: "ada")),
        ])
        let anew = try #require(fold.histories[["a"]])
        #expect(anew.lastAttempt == 2)
        #expect(anew.attemptsCounted == 0)
        #expect(anew.seriesStartedAt == nil)
        for next in [
            entry(61, .started), entry(61, ended(2, .interrupted)), entry(61, began(3)),
            entry(62, ended(3, .failed)),
        ] { fold.apply(next) }
        let then = try #require(fold.histories[["a"]])
        #expect(then.attempts.map(\.number) == [1, 2, 3])
        #expect(then.attemptsCounted == 1)
        #expect(then.attemptsBefore == 2)
        #expect(then.lastAttempt == 3)
    }

    @Test func `takes no failure that a callback URL was told in an earlier try, and still a completion`() {
        func report(_ failure: JobReport.Failure?) -> JournalEntry.Event {
            let report = JobReport(
                place: CallbackPlace(path: ["a"], round: 0), failure: failure, content: .empty)
            return .message(JobMessage(by: "callback URL", content: .report(report)))
        }
        var fold = JournalFold([
            entry(0, report(nil)), entry(1, report(.init(code: "jam", detail: nil))),
            entry(2, .retried(by: "ada")),
        ])
        #expect(fold.takenMessages == [2])
        fold.apply(entry(3, report(.init(code: "jam", detail: nil))))
        #expect(fold.takenMessages == [2])
    }
}

extension JournalEntry.Event {
    /// Whether it is about the job and not about one of its operations.
    fileprivate var isOfJob: Bool { if case .retried = self { true } else { false } }
}
