package import JobKit
internal import StrictJSON

/// Runs an operation repeatedly, one run after the other. The runs are its children `1`, `2`, ….
package struct RepeatSpec: Sendable, Hashable {
    /// The upper limit of runs: 10,000.
    package static let runsMax = 10_000

    /// The operation that is run.
    package var operation: OperationSpec
    /// The number of runs, or the most of them when there is `until`: 1…10,000.
    package var runs: Int
    /// Ends the repetition when the document of the last run satisfies it.
    package var until: JSONPredicate?
    /// The wait between two runs; the first value is the wait before run 2. Nil does not wait.
    package var wait: RetrySpec.Backoff?
    /// Whether a failed run ends it.
    package var stopsOnFailure = false
    /// The place of each result from which the result is gathered; nil takes the latest result.
    package var gather: Gathering?

    /// The event that ends the repetition early.
    private enum Stop: String, CaseIterable { case firstFailure = "first_failure" }

    package init(operation: OperationSpec, runs: Int) {
        self.operation = operation
        self.runs = runs
    }
}

extension RepeatSpec: BuiltInKind {
    static let name = "repeat"
    static let wait: WaitWords? = WaitWords(.repetition, "time", isBeforeMore: true) { _ in "its next run" }
    static let members: [any KindMember] = [
        operationMember, runsMember, untilMember, PauseMembers.every, PauseMembers.backoff, stopMember,
        gatherMember,
    ]
    private static let operationMember = RequiredMember.operation(remedy: "A repeat needs an operation.")
    private static let runsMember = OptionalMember<Int>("max_runs", SpecForm { $0.int($1, in: 1...runsMax) })
    private static let untilMember = OptionalMember("until", .predicate(on: .result))
    private static let stopMember = OptionalMember<Stop>("stop_when", .word)
    private static let gatherMember = OptionalMember<Gathering>(
        "gather", SpecForm { GatheringReader.placeOrAll($1, &$0) })

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> RepeatSpec? {
        let until = untilMember.read(object, scope, &reading)
        let runs = runsMember.read(object, scope, &reading)
        if object["until"] == nil && object["max_runs"] == nil {
            reading.missing(
                "max_runs", "A repeat says how often (\"max_runs\") or until when (\"until\").",
                suggestion: #""max_runs": 3"#)
        }
        let wait = PauseMembers.read(object, scope, &reading)
        let stops = stopMember.read(object, scope, &reading) != nil
        let gather = gatherMember.read(object, scope, &reading)
        let inside = scope.inRepeat(named: draft.name)
        guard let operation = operationMember.read(object, inside, &reading) else { return nil }
        var rule = RepeatSpec(operation: operation, runs: runs ?? runsMax)
        rule.until = until
        rule.wait = wait
        rule.stopsOnFailure = stops
        rule.gather = gather
        if rule.until == nil, !rule.stopsOnFailure {
            let count = OperationCount.product(rule.runs, operation.writtenCount)
            InnerOperation.checkCount(count, of: operation, &reading)
        }
        return rule
    }

    var copied: OperationSpec? { operation }

    var writtenCount: Int {
        if until != nil || stopsOnFailure { return 1 }
        return OperationCount.sum(1, OperationCount.product(runs, operation.writtenCount))
    }

    var planWords: [String] {
        var words = [until == nil ? "\(runs) times" : "until it holds, at most \(runs) times"]
        if case .fixed(let duration) = wait { words.append("every \(DurationText.text(duration))") }
        if let gather { words.append("gathers \(gather.at)") }
        return words
    }

    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)] {
        guard self.operation.needsPrevious else { return [] }
        return [
            (
                "warning.no_first_value",
                "A \"$previous\" has no default, so the first run fails with reference.missing: no run comes before "
                    + "it. Give it the value of the first run as its default."
            )
        ]
    }

    /// One run after the other. Runs before a restart are taken from the journal, so that a restart continues with the
    /// interrupted run, or wait.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            let inner = InnerRun(compiler: compiler, context: context)
            var progress = RepeatProgress(rule: self, name: references.name)
            try await RepeatLoop(times: runs, wait: wait).execute(in: context) { _ in
                operation
            } run: { number, operation in
                let place = self.place(of: number, after: progress.latestSuccess, references)
                let ending = try await inner.ending(
                    of: operation, at: place, path: references.path + [String(number)], isNumbered: true)
                progress.note(ending)
                return try await !progress.isOver(references.attempt(in: context))
            }
            return try progress.result()
        }
        recipe.settings.grace = nil
        return recipe
    }

    private func place(of number: Int, after latest: Int?, _ references: ReferenceReader) -> SpecPlace {
        let previous = latest.map { references.path + [String($0)] }
        return .run(.init(number: number, previous: previous), of: references.name, outer: references.place)
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        let path = references.path
        var latest: Int?
        let numbers = past.histories.keys.filter { $0.count > path.count && $0.starts(with: path) }.compactMap
        { Int($0[path.count]) }
        return Set(numbers).sorted().map { number in
            let (place, path) = (place(of: number, after: latest, references), path + [String(number)])
            if past.histories[path]?.ending?.state == .succeeded { latest = number }
            return PlacedOperation(spec: operation, place: place, path: path)
        }
    }
}
