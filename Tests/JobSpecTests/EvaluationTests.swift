import StrictJSON
import Synchronization
import TestOperations
import Testing

@testable import JobKit
@testable import JobSpec

/// Runs long work at once, and notes of which size and for whom.
struct NotedWork: LongWork {
    let sizes = Record<LongWorkSize>()
    let owners = Record<String>()
    /// Whether other work always waits.
    var isBusy = false

    func add(_ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void) {
        sizes.append(size)
        owners.append(owner.job)
        work()
    }

    func isWaiting(_ size: LongWorkSize) -> Bool { isBusy }
}

@Suite struct `An evaluation` {
    private let work = NotedWork()

    private func run(
        steps: Int = StepMeter.wholeMax, answer: String = "{}", on work: NotedWork? = nil
    ) -> SpecRun {
        let work = work ?? self.work
        let run = SpecRun { _, _ in (200, answer) }
        run.prepare.withLock { prepare in
            prepare = { [work] environment in
                environment.longWork = work
                environment.limits.evaluationSteps = steps
            }
        }
        return run
    }

    private func map(_ count: Int, where predicate: String) -> String {
        let list = (0..<count).map { #"{"n":\#($0)}"# }.joined(separator: ",")
        return #"""
            {"type":"transform","name":"total","input":[\#(list)],"where":\#(predicate),"each":{"$item":"/n"},"reduce":"sum"}
            """#
    }

    @Test func `that is short stays on the loop`() async throws {
        #expect(try await run().value(map(10, where: #"{"at":"/n","less":5}"#)) == 10)
        #expect(work.owners.all.isEmpty)
    }

    @Test func `that is long goes elsewhere, and has the same result`() async throws {
        #expect(try await run().value(map(3_000, where: #"{"at":"/n","less":5}"#)) == 10)
        #expect(work.owners.all == ["job_test"])
    }

    /// Takes some millions of steps more than brief work has.
    private var lengthy: String {
        let count = StepMeter.briefMax / (20 * Pattern.stepsMax)
        let patterns = (0..<count + 500).map { #"{"at":"","matches":"no\#($0)"}"# }.joined(separator: ",")
        return #"""
            {"type":"transform","name":"total","input":["yes"],"reduce":"count",
             "where":{"any":[\#(patterns),{"at":"","equals":"yes"}]}}
            """#
    }

    @Test(arguments: [false, true])
    func `that is longer goes on there, and only makes way for what waits`(isBusy: Bool) async throws {
        let work = NotedWork(isBusy: isBusy)
        #expect(try await run(on: work).value(lengthy) == 1)
        #expect(work.sizes.all == (isBusy ? [.brief, .long] : [.brief]))
    }

    @Test func `that goes on ends by its steps all the same, and does not begin again`() async throws {
        let steps = StepMeter.briefMax + 1_000_000
        let error = try #require(try await run(steps: steps).ending(lengthy).errors.first)
        #expect(error.code == .evaluationTooLong)
        #expect(error.detail.contains("take more than \(steps) steps"), "\(error.detail)")
        #expect(work.sizes.all == [.brief])
    }

    @Test func `reads a long error once, however often it is referred to`() async throws {
        let head = (0..<20).map { (name: "X-\($0)", value: String(repeating: "x", count: 1_000)) }
        let run = SpecRun(fields: { _ in head }) { _, _ in (404, "{}") }
        run.prepare.withLock { $0 = { $0.limits.evaluationSteps = 2_000_000 } }
        let code = #"{"$get":"call","at":"/error/code"}"#
        let values = Array(repeating: code, count: 500).joined(separator: ",")
        let ending = try await run.ending(
            #"""
            {"type":"group","succeed_when":"any","operations":[
              {"name":"call","type":"network","request":"https://a.example/","retry":{"max_attempts":1}},
              {"name":"all","type":"value","after":[{"operation":"call","states":["failed"]}],"value":[\#(values)]}]}
            """#)
        #expect(ending.result?.bodyValue.object?["all"]?.array?.count == 500)
    }

    @Test func `with too many steps fails with an error that names it and what was too much`() async throws {
        let comparisons = (0..<500).map { #"{"at":"/n","not_equals":\#(-$0)}"# }.joined(separator: ",")
        let ending = try await run(steps: 2_000_000).ending(map(1_000, where: #"{"all":[\#(comparisons)]}"#))
        let error = try #require(ending.errors.first)
        #expect(error.code == .evaluationTooLong)
        #expect(error.detail.contains("values of total take more than 2000000 steps"), "\(error.detail)")
        #expect(error.detail.contains("most of them for comparing values"), "\(error.detail)")
        #expect(!error.retryable)
    }

    @Test func `with a slow pattern ends by its steps`() async throws {
        // Which of the last letters are an "a" has more combinations than can be remembered.
        var letters: [String] = []
        var state: UInt32 = 1
        for _ in 0..<20_000 {
            state = state &* 1_664_525 &+ 1_013_904_223
            letters.append(state >> 31 == 0 ? "a" : "c")
        }
        let text = letters.joined()
        let spec =
            #"{"type":"transform","name":"slow","input":["\#(text)"],"where":{"at":"","matches":"a.{200}b$"}}"#
        let error = try #require(try await run(steps: 3_000_000).ending(spec).errors.first)
        #expect(error.code == .evaluationTooLong)
        #expect(error.detail.contains("searching with patterns"), "\(error.detail)")
    }

    @Test func `reads the content of an operation once, however often it is referred to`() async throws {
        let content = #"{"a":1,"b":"\#(String(repeating: "x", count: 60_000))"}"#
        let values = Array(repeating: #"{"$get":"call","at":"/body/a"}"#, count: 300).joined(separator: ",")
        // Reading it takes 240,000 steps.
        let value = try await run(steps: 1_000_000, answer: content).value(
            #"""
            {"type":"group","operations":[{"name":"call","type":"network","request":"https://a.example/"},
              {"name":"all","type":"value","value":[\#(values)]}]}
            """#)
        #expect(value?.object?["all"] == .array(Array(repeating: 1, count: 300)))
        #expect(work.owners.all.isEmpty)
    }

    @Test(arguments: [
        #""request":"https://b.example/","when":{"$get":"call","at":"/body/a","contains":1}"#,
        #""request":"https://b.example/","conditions":[{"when":{"$get":"call","at":"/body/a","contains":1},"otherwise":"skip"}]"#,
        #""request":{"url":"https://b.example/","method":"PUT","json":{"$get":"call","at":"/body/a"}}"#,
        #""request":"https://b.example/","expect":{"that":{"at":"/body/a","contains":1}}"#,
    ])
    func `of a when, a condition, a request and an expectation goes elsewhere, too`(rest: String) async throws
    {
        let content = #"{"a":[1],"b":"\#(String(repeating: "x", count: 200_000))"}"#
        let run = run(answer: content)
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[{"name":"call","type":"network","request":"https://a.example/"},
              {"name":"next","type":"network","after":["call"],\#(rest)}]}
            """#)
        #expect(ending.state == .succeeded)
        #expect(run.calls.all.count == 2)
        #expect(!work.owners.all.isEmpty)
    }

    @Test func `of a match picks signals, and fails at the one that it cannot decide`() async throws {
        let spec = #"""
            {"type":"await","name":"paid","signal":"paid","match":{"at":"/body/text","matches":"a.{200}b$"}}
            """#
        var state: UInt32 = 1
        let letters = (0..<200_000).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return state >> 31 == 0 ? "a" : "c"
        }
        let wanted = "a" + String(repeating: "c", count: 200) + "b"
        func ending(_ texts: [String]) async throws -> OperationEnding {
            let run = run()
            let inbox = JobInbox(
                messages: texts.map { text in
                    JobMessage(by: "test", content: .signal(name: "paid", value: ["text": .string(text)]))
                })
            run.prepare.withLock { prepare in prepare = { $0.inbox = inbox } }
            return try await run.ending(spec)
        }
        #expect(try await ending(["x", wanted]).result?.bodyValue == ["text": .string(wanted)])
        let undecided = try await ending(["x", letters.joined(), wanted])
        #expect(undecided.errors.map(\.code) == [.evaluationTooLong])
        #expect(undecided.errors.first?.detail.contains("paid") == true)
    }
}

@Suite struct `Values` {
    /// The steps of a comparison that must hold.
    private func steps(_ body: (StepMeter) throws -> Bool) throws -> Int {
        let meter = StepMeter()
        #expect(try body(meter))
        return meter.used
    }

    private func object(_ count: Int, isReversed: Bool = false) -> JSONValue {
        let members = (0..<count).map { JSONObject.Member(name: "n\($0)", value: 1) }
        return .object(JSONObject(uniqueMembers: isReversed ? members.reversed() : members))
    }

    @Test(.timeLimit(.minutes(1)))
    func `that are objects are compared in steps in proportion to their members`() throws {
        let small = try steps {
            try object(5_000).isSame(as: object(5_000, isReversed: true), $0)
        }
        let large = try steps {
            try object(50_000).isSame(as: object(50_000, isReversed: true), $0)
        }
        #expect(large <= 11 * small)
        #expect(try !object(10).isSame(as: object(11), StepMeter()))
        #expect(try !(["a": 1] as JSONValue).isSame(as: ["b": 1], StepMeter()))
    }

    @Test func `of a list are found whatever their notation and order, without a walk through all`() throws {
        let values = (0..<2_000).map { JSONValue.number(JSONNumber(Int64($0))) } + ["a", .null, true]
        let list = ValueList(values + [try JSONParser.parse(text: #"{"x":1,"y":[2.5]}"#)])
        func has(_ text: String, _ meter: StepMeter = StepMeter()) throws -> Bool {
            try list.contains(try JSONParser.parse(text: text), meter)
        }
        for text in ["7", "7.0", "70e-1", "1999", #""a""#, "null", "true", #"{"y":[2.50],"x":1.0}"#] {
            #expect(try has(text), "\(text)")
        }
        for text in ["-7", "2000", "7.5", #""7""#, "false", "[]", "{}", #"{"y":[2.5],"x":2}"#] {
            #expect(try !has(text), "\(text)")
        }
        #expect(try steps { try has("1999", $0) } < 500)
    }

    @Test(arguments: [
        ("abcabd", "abd", true), ("abcab", "abd", false), ("", "", true), ("a", "", true), ("", "a", false),
        ("aaab", "aab", true), ("ababac", "abac", true), ("e\u{301}", "e", true),
        ("e\u{301}", "\u{301}", true),
        ("\u{E9}", "e", false), ("e\u{301}", "\u{E9}", false), ("👨‍👩‍👧", "👩", true),
        ("a\r\nb", "\n", true),
    ])
    func `that are texts contain others by their bytes`(text: String, part: String, contains: Bool) throws {
        #expect(
            try JSONPredicate.Comparison.contains(.string(part)).holds(of: .string(text), StepMeter())
                == contains)
    }

    @Test func `of $text have names that are told apart by their bytes`() throws {
        let vars = [
            NetworkSpec.Entry(name: "\u{E9}", value: .literal("composed")),
            NetworkSpec.Entry(name: "e\u{301}", value: .literal("decomposed")),
        ]
        let text = Binding.text("{e\u{301}} {\u{E9}} {e\u{301}}", vars: vars)
        #expect(try text.resolve(lookup: Binding.Lookup { _ in .null }) == "decomposed composed decomposed")
        #expect(TextTemplate("{e\u{301}}{\u{E9}}")?.names.count == 2)
    }
}
