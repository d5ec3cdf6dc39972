internal import JobKit
internal import StrictJSON

/// The progress of a repetition.
struct RepeatProgress {
    let rule: RepeatSpec
    private var runs = 0
    private var last: OperationEnding?
    private var latestResult: OperationResult?
    /// The number of the latest run that succeeded; nil when there is none.
    private(set) var latestSuccess: Int?
    private var gathered: GatheredList
    private var kept = KeptErrors()
    private var isReached = false
    /// Why `until` could not be decided on the last run.
    private var obstacle: AOperationError?

    private var errors: [AOperationError] { kept.first }

    /// - Parameter name: the name of the repetition.
    init(rule: RepeatSpec, name: String) {
        self.rule = rule
        gathered = GatheredList(of: name)
    }

    /// Records the end of a run.
    mutating func note(_ ending: OperationEnding) {
        runs += 1
        last = ending
        if ending.state == .succeeded {
            latestResult = ending.result ?? .empty
            latestSuccess = runs
        }
        if ending.state == .failed || ending.state == .expired { kept.add(ending.errors) }
    }

    /// Whether no further run is needed; gathers from the last one. A result that `until` cannot look into is no
    /// verdict: the next run decides.
    /// - Throws: when what is to be gathered is not there, or too much; `evaluation.too_long`.
    mutating func isOver(_ references: ReferenceReader) async throws(AOperationError) -> Bool {
        if rule.stopsOnFailure && !errors.isEmpty { return true }
        guard let last else { return false }
        let gather = last.state == .succeeded ? rule.gather : nil
        guard rule.until != nil || gather != nil else { return false }
        let (board, rule, number, before) = (references.board, rule, runs, gathered.next)
        let use = max(rule.until?.bodyUse ?? .none, gather?.bodyUse ?? .none)
        let (verdict, after) = try await references.evaluate { lookup throws(AOperationError) in
            guard let document = try board.document(of: last, with: use, lookup.meter) else {
                return (JSONPredicate.Verdict.fails, before)
            }
            var list = before
            if let gather {
                try gather.collect(from: document, of: "Run \(number)", into: &list, lookup.meter)
            }
            return (try rule.until?.verdict(on: document, lookup: lookup) ?? .fails, list)
        }
        gathered.append(after)
        obstacle = if case .unknown(let error) = verdict { error } else { nil }
        isReached = verdict.holds
        return isReached
    }

    /// The result of the repetition: that of the latest successful run, or what was gathered from all of them.
    ///
    /// With `until` it is reached or not, whatever failed before; without it every failed run counts.
    /// - Throws: the errors of the runs, or `repeat.exhausted` with them as causes.
    func result() throws -> OperationResult {
        if isReached { return outcome }
        let isExhausted = rule.until != nil && !(rule.stopsOnFailure && !errors.isEmpty)
        if isExhausted {
            let detail =
                "After \(runs) runs `until` does not hold yet\(obstacle.map { ": \($0.detailWithoutEnd)" } ?? ""). "
                + "Allow more of them with times, or wait longer."
            throw AOperationError(.repeatExhausted, detail: detail, causes: errors)
        }
        if !errors.isEmpty { throw OperationErrors(list: kept.all(of: "runs")) }
        return outcome
    }

    private var outcome: OperationResult {
        rule.gather == nil ? latestResult ?? .empty : gathered.result
    }
}
