import StrictJSON
import Testing
import TestOperations

@testable import JobKit

@Suite struct `Several conditions` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    private let holds = ClosureCondition("holds") { _ in true }
    private let fails = ClosureCondition("fails") { _ in false }
    private let other = ClosureCondition("other") { _ in false }
    private let ignored = ClosureCondition("ignored", otherwise: .skip) { _ in false }
    private let broken = ClosureCondition("broken") { _ -> Bool in throw Unknown() }

    private struct Unknown: Error {}

    private func ending(of conditions: any OperationCondition...) async -> OperationEnding {
        var recipe = Giving(1).recipe
        for condition in conditions { recipe = recipe.condition(condition) }
        return await queue.add(recipe).waitUntilFinished()
    }

    private func words(_ conditions: any OperationCondition...) async -> String {
        var recipe = Giving(1).recipe
        for condition in conditions { recipe = recipe.condition(condition) }
        let ending = await queue.add(recipe).waitUntilFinished()
        return ([ending.state.rawValue] + ending.errors.map(\.code.description)).joined(separator: " ")
    }

    @Test func `run the operation when all hold, or some hold and the others are ignored`() async {
        #expect(await words(holds, holds) == "succeeded")
        #expect(await words(holds, ignored) == "succeeded")
        #expect(await words(ignored, ignored) == "skipped condition.unsatisfied condition.unsatisfied")
        #expect(await words(ignored, fails, holds) == "failed condition.unsatisfied")
        #expect(await ending(of: fails, holds, other).errors.map(\.publisher) == ["fails", "other"])
    }

    @Test func `do not count mutual exclusion as one that holds`() async {
        #expect(await words(MutualExclusion("k"), ignored) == "skipped condition.unsatisfied")
        #expect(await words(AllCondition(MutualExclusion("k"), holds)) == "succeeded")
        #expect(await words(AllCondition(MutualExclusion("k"))) == "succeeded")
    }

    @Test func `of which all must hold report every failure in declared order`() async {
        #expect(await words(AllCondition(holds, ignored)) == "succeeded")
        #expect(await words(AllCondition(ignored, ignored)) == "skipped condition.not_all_satisfied")
        #expect(await words(AllCondition(holds, ignored).strict()) == "skipped condition.not_all_satisfied")
        #expect(await words(AllCondition(fails, ignored).strict()) == "failed condition.not_all_satisfied")
        let ending = await ending(of: AllCondition(fails, holds, ignored, other, broken))
        #expect(ending.state == .failed)
        #expect(ending.errors.map(\.code) == [.conditionNotAll])
        #expect(ending.errors.first?.publisher == "all(fails, holds, ignored, other, broken)")
        #expect(ending.errors.first?.causes.map(\.publisher) == ["fails", "other", "broken"])
        #expect(await words(AllCondition(holds, broken)) == "failed condition.broken")
    }

    @Test func `asked in order stop at the first that fails`() async {
        let asked = Record<String>()
        let dear = ClosureCondition("dear") { _ in
            asked.append("dear")
            return true
        }
        #expect(await words(AllCondition(fails, dear).inOrder()) == "failed condition.not_all_satisfied")
        #expect(asked.all.isEmpty)
        #expect(await words(AllCondition(holds, dear).inOrder()) == "succeeded")
        #expect(asked.all == ["dear"])
    }

    @Test func `asked at once stop at the first that fails, if so wanted`() async {
        let slow = ClosureCondition("slow") { context in
            try await context.environment.clock.sleep(for: .seconds(1_000))
            return true
        }
        let ending = await ending(of: AllCondition(slow, holds, fails).stoppingAtFailure())
        #expect(ending.errors.map(\.code) == [.conditionNotAll])
        #expect(ending.errors.first?.causes.map(\.publisher) == ["fails"])
        #expect(clock.now == ManualClock().now)
        #expect(await words(AllCondition(holds, holds).stoppingAtFailure()) == "succeeded")
        #expect(
            await words(AllCondition(ignored, ignored).stoppingAtFailure())
                == "skipped condition.not_all_satisfied")
    }

    @Test func `of which one must hold are called off as soon as one does`() async {
        let slow = ClosureCondition("slow") { context in
            try await context.environment.clock.sleep(for: .seconds(1_000))
            return true
        }
        #expect(await words(AnyCondition(slow, fails, holds)) == "succeeded")
        #expect(await words(AnyCondition(broken, holds)) == "succeeded")
        #expect(await words(AnyCondition(ignored, ignored)) == "skipped condition.none_satisfied")
        #expect(await words(AnyCondition(broken, fails)) == "failed condition.broken")
        let ending = await ending(of: AnyCondition(fails, ignored, other))
        #expect(ending.errors.map(\.code) == [.conditionNone])
        #expect(ending.errors.first?.causes.map(\.publisher) == ["fails", "other"])
    }

    @Test func `cannot be none`() {
        #expect(AllCondition([]) == nil)
        #expect(AnyCondition([]) == nil)
        #expect(AllCondition([holds])?.conditions.count == 1)
    }

    @Test func `that are ignored skip, and an error is never negated into success`() async {
        #expect(await words(IgnoredCondition(fails)) == "skipped condition.unsatisfied")
        #expect(await words(IgnoredCondition(holds)) == "succeeded")
        #expect(await words(NegatedCondition(IgnoredCondition(fails))) == "succeeded")
        #expect(await words(NegatedCondition(broken)) == "failed condition.broken")
        #expect(await words(NegatedCondition(IgnoredCondition(broken))) == "failed condition.broken")
        #expect(await words(NegatedCondition(AnyCondition(fails, broken))) == "failed condition.broken")
        #expect(await words(NegatedCondition(NegatedCondition(holds))) == "succeeded")
        #expect(await words(NegatedCondition(NegatedCondition(fails))) == "failed condition.holds")
    }

    @Test func `that throw report the thrown error`() async {
        let known = ClosureCondition("known") { _ -> ConditionVerdict in
            throw AOperationError(.storage, detail: "no disk")
        }
        let foreign = await ending(of: broken).errors.first
        #expect(foreign?.code == .conditionBroken)
        #expect(foreign?.stage == .condition)
        #expect(foreign?.publishedError?.domain == "Unknown")
        #expect(await ending(of: known).errors.first?.causes.map(\.code) == [.storage])
    }

    @Test func `of one kind with the same parameters are asked once, with others each`() async {
        let asked = Record<String>()
        struct Question: OperationCondition {
            let word: String
            let asked: Record<String>
            var identity: ConditionIdentity? { ConditionIdentity("question", [word]) }
            func evaluate(in context: ConditionContext) async -> ConditionVerdict {
                asked.append(word)
                return .failed(AOperationError(.conditionUnsatisfied, detail: word))
            }
        }
        let a = Question(word: "a", asked: asked)
        let b = Question(word: "b", asked: asked)
        let ending = await ending(of: a, b, a, NegatedCondition(b), NegatedCondition(b))
        #expect(asked.all.sorted() == ["a", "b", "b"])
        #expect(ending.errors.map(\.detail) == ["a", "b"])
        let spellings = Set(["\u{E9}", "e\u{301}"].map { MutualExclusion($0).identity })
        #expect(spellings.count == 2, "two keys are two conditions")
    }

    @Test func `on cancelled dependencies overlook failed ones`() async {
        let queue = queue
        let bad = queue.add(Failing(name: "bad"))
        let gone = queue.add(Endless(name: "gone"))
        gone.cancel()
        let lenient = queue.add(
            Giving(1).after(bad, on: .finished).condition(NoCancelledDependencies()))
        let strict = queue.add(
            Giving(1).after(bad, on: .finished).after(gone, on: .finished)
                .condition(NoCancelledDependencies()))
        #expect(await lenient.waitUntilFinished().state == .succeeded)
        let error = await strict.waitUntilFinished().errors.first
        #expect(error?.code == .conditionDependenciesCancelled)
        #expect(error?.publishedError?.info["cancelled"] == .array([.string("gone")]))
        #expect(error?.publishedError?.info["failed"] == nil)
    }
}
