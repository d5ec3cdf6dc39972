import Testing

@testable import JobServer

@Suite struct `The memory of answers that are not read` {
    private func token(_ name: String) -> StreamOwner { .client(.token(name)) }

    /// Takes answers of a size for an owner until it is refused.
    private func fill(
        _ memory: AnswerMemory, _ count: Int, for owner: StreamOwner
    ) -> (holds: [AnswerMemory.Hold], problem: Problem) {
        var holds: [AnswerMemory.Hold] = []
        while true {
            switch memory.take(count, for: owner) {
            case .taken(let hold): holds.append(hold)
            case .refused(let problem): return (holds, problem)
            }
        }
    }

    @Test func `of a caller is half of what the others leave`() {
        let memory = AnswerMemory(bytesMax: 1_000)
        let greedy = fill(memory, 100, for: token("greedy"))
        #expect(greedy.holds.count == 5)
        #expect(greedy.problem.kind == .clientLimited)
        #expect(memory.problem(for: token("greedy"))?.kind == .clientLimited)
        #expect(memory.problem(for: token("other")) == nil)
        let second = fill(memory, 100, for: token("second"))
        #expect(second.holds.count == 2)
        withExtendedLifetime((greedy, second)) { #expect(memory.bytes == 700) }
    }

    @Test func `has a limit for all callers together`() {
        let memory = AnswerMemory(bytesMax: 1_000)
        var kept: [[AnswerMemory.Hold]] = []
        var last: Problem?
        for number in 1...20 {
            let (holds, problem) = fill(memory, 100, for: token("\(number)"))
            kept.append(holds)
            last = problem
        }
        #expect(memory.bytes == 1_000)
        #expect(last?.kind == .overloaded)
        #expect(
            ProblemCatalog.entry(.overloaded).status == 503 && ProblemCatalog.entry(.overloaded).retryable)
        kept = []
        #expect(memory.bytes == 0)
    }

    @Test func `takes an answer that is larger than all of it when there is no other`() {
        let memory = AnswerMemory(bytesMax: 1_000)
        let (holds, problem) = fill(memory, 5_000, for: token("one"))
        #expect(holds.count == 1)
        #expect(problem.kind == .clientLimited)
    }

    @Test func `counts the answer to what has been done even when there is none left`() {
        let memory = AnswerMemory(bytesMax: 1_000)
        let (holds, _) = fill(memory, 100, for: token("one"))
        guard case .taken(let more) = memory.take(100, for: token("one"), always: true) else {
            Issue.record("It was refused.")
            return
        }
        withExtendedLifetime((holds, more)) { #expect(memory.bytes == 600) }
    }
}
