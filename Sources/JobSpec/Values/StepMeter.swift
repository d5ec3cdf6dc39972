internal import JobKit
internal import StrictJSON
internal import Synchronization

/// Counts the steps of one evaluation of predicates, values or requests, and ends it when they are too many. It also
/// remembers what the evaluation would otherwise work out again.
package final class StepMeter: Sendable {
    /// The steps on the loop that all jobs share: about a millisecond.
    package static let sliceMax = 400_000
    /// The steps of an evaluation that is brief long work: about a tenth of a second.
    package static let briefMax = 25_000_000
    /// The steps on a loop of requests: some ten milliseconds.
    package static let requestMax = 4_000_000
    /// The steps where a job is shown: some ten milliseconds.
    package static let viewMax = 20_000_000
    /// The steps elsewhere: some seconds.
    package static let wholeMax = RunLimits.standard.evaluationSteps

    /// The purpose of a step.
    enum Part: String, CaseIterable {
        case reading = "reading results"
        case comparing = "comparing values"
        case matching = "searching with patterns"
        case making = "making values"
    }

    private struct KnownDocument {
        let path: [String]
        let use: OperationResult.BodyUse
        let document: ResultDocument
        let bytes: Int

        /// Whether it is what a reference with this use needs.
        func suits(_ use: OperationResult.BodyUse) -> Bool {
            self.use == use || use == .none && self.use == .reading
        }
    }

    private struct Memory {
        var patterns: [ByteKey: PatternMatcher] = [:]
        var documents: [KnownDocument] = []
    }

    /// The most patterns that are remembered.
    private static let patternsMax = 64
    /// The most documents that are remembered, and bytes of their content.
    private static let documentsMax = 8
    private static let documentBytesMax = OperationResult.readBytesMax

    private let most: Int
    private let name: String?
    /// Whether steps beyond those that were given first may be taken.
    private let mayGoOn: (@Sendable () -> Bool)?
    /// The steps that were given, those that were taken included.
    private let given: Atomic<Int>
    private let left: Atomic<Int>
    private let isStopped = Atomic(false)
    private let reading = Atomic(0)
    private let comparing = Atomic(0)
    private let matching = Atomic(0)
    private let making = Atomic(0)
    private let memory = Mutex(Memory())

    /// A meter that ends an evaluation after `most` steps. Each takes some nanoseconds.
    /// - Parameters:
    ///   - name: the operation whose evaluation it is.
    ///   - first: the steps that it has in any case; nil is all. Further ones are given as long as `mayGoOn` is true.
    package init(
        _ most: Int = StepMeter.wholeMax, of name: String? = nil, first: Int? = nil,
        mayGoOn: (@Sendable () -> Bool)? = nil
    ) {
        (self.most, self.name, self.mayGoOn) = (most, name, mayGoOn)
        let first = min(first ?? most, most)
        given = Atomic(first)
        left = Atomic(first)
    }

    /// Takes steps. By one thread at a time.
    /// - Throws: `evaluation.too_long` when there are not as many left, from then on.
    @inline(__always)
    func spend(_ count: Int, on part: Part) throws(AOperationError) {
        let rest = left.load(ordering: .relaxed) - count
        left.store(rest, ordering: .relaxed)
        switch part {
        case .reading: Self.add(count, to: reading)
        case .comparing: Self.add(count, to: comparing)
        case .matching: Self.add(count, to: matching)
        case .making: Self.add(count, to: making)
        }
        if rest < 0 || isStopped.load(ordering: .relaxed) { try goOn() }
    }

    @inline(__always)
    private static func add(_ count: Int, to sum: borrowing Atomic<Int>) {
        sum.store(sum.load(ordering: .relaxed) + count, ordering: .relaxed)
    }

    /// Takes further steps, as many as a slice has or as are missing.
    /// - Throws: `evaluation.too_long` when there are none.
    private func goOn() throws(AOperationError) {
        let (rest, before) = (left.load(ordering: .relaxed), given.load(ordering: .relaxed))
        let more = max(Self.sliceMax, -rest)
        guard !isStopped.load(ordering: .relaxed), before - rest <= most, mayGoOn?() == true
        else { throw tooLong }
        let after = min(before + more, most)
        given.store(after, ordering: .relaxed)
        left.store(rest + after - before, ordering: .relaxed)
    }

    /// Ends the evaluation at its next step. From any thread.
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// The steps that were taken.
    var used: Int { given.load(ordering: .relaxed) - left.load(ordering: .relaxed) }

    /// Whether more steps were asked for than there are.
    var isUsedUp: Bool { used > most }

    private var tooLong: AOperationError {
        let parts: [(part: Part, steps: Int)] = [
            (.reading, reading.load(ordering: .relaxed)), (.comparing, comparing.load(ordering: .relaxed)),
            (.matching, matching.load(ordering: .relaxed)), (.making, making.load(ordering: .relaxed)),
        ]
        let largest = parts.max { $0.steps < $1.steps }?.part ?? .comparing
        return AOperationError(
            .evaluationTooLong,
            detail:
                "The predicates and values of \(name ?? "the operation") take more than \(most) steps, most of them "
                + "for \(largest.rawValue). Look at less with \"at\", write fewer or simpler comparisons, or spread the "
                + "work over several operations.",
            retryable: false)
    }

    // MARK: Memory

    /// Whether a pattern is found in a text.
    /// - Throws: `evaluation.too_long`; `internal.unexpected` for a text that is no pattern, which the reader refuses.
    func isFound(_ pattern: String, in text: String) throws(AOperationError) -> Bool {
        let key = ByteKey(pattern)
        var matcher: PatternMatcher
        if let known = memory.withLock({ $0.patterns.removeValue(forKey: key) }) {
            matcher = known
        } else {
            do throws(PatternError) { matcher = PatternMatcher(try Pattern(pattern)) } catch {
                throw AOperationError(.unexpected, detail: "The pattern cannot be read: \(error.detail)")
            }
            try spend(20 * Pattern.stepsMax, on: .matching)
        }
        let isFound = try matcher.isFound(in: text, self)
        memory.withLock { memory in
            if memory.patterns.count >= Self.patternsMax { memory.patterns.removeAll() }
            memory.patterns[key] = matcher
        }
        return isFound
    }

    /// The document of the operation at `path` for a use, if it was made before.
    func document(at path: [String], for use: OperationResult.BodyUse) -> ResultDocument? {
        memory.withLock { memory in memory.documents.first { $0.path == path && $0.suits(use) }?.document }
    }

    /// Remembers the document of the operation at `path`, whose content has `bytes`.
    func remember(_ document: ResultDocument, at path: [String], for use: OperationResult.BodyUse, bytes: Int)
    {
        memory.withLock { memory in
            var all = memory.documents.reduce(bytes) { $0 + $1.bytes }
            while let first = memory.documents.first,
                memory.documents.count >= Self.documentsMax || all > Self.documentBytesMax
            {
                all -= first.bytes
                memory.documents.removeFirst()
            }
            memory.documents.append(KnownDocument(path: path, use: use, document: document, bytes: bytes))
        }
    }
}
