internal import JobKit
internal import StrictJSON

/// The progress of a repetition.
struct RepeatProgress {
    let rule: RepeatSpec
    private var runs = 0
    private var last: OperationEnding?
    private var latestResult: OperationResult?
    private var kept = KeptErrors()
    private var isReached = false

    private var errors: [AOperationError] { kept.first }

    init(rule: RepeatSpec) { self.rule = rule }

    /// Records the end of a run.
    mutating func note(_ ending: OperationEnding) {
        runs += 1
        last = ending
        if ending.state == .succeeded { latestResult = ending.result ?? .empty }
        guard ending.state == .failed || ending.state == .expired, rule.operation.onFailure == .fail
        else { return }
        kept.add(ending.errors)
    }

    /// Whether no further run is needed.
    mutating func isOver(
        _ lookup: Binding.Lookup, _ board: ResultBoard
    ) throws(AOperationError) -> Bool {
        if rule.stopsOnFailure && !errors.isEmpty { return true }
        guard let until = rule.until, let last,
            let document = try board.document(of: last, with: until.bodyUse)
        else { return false }
        isReached = try until.evaluate(document: document, lookup: lookup)
        return isReached
    }

    /// The result of the repetition: that of the latest successful run.
    ///
    /// With `until` it is reached or not, whatever failed before; without it every failed run counts.
    /// - Throws: the errors of the runs, or `repeat.exhausted` with them as causes.
    func result(after lookup: Binding.Lookup) throws -> OperationResult {
        if isReached { return latestResult ?? .empty }
        let isExhausted = rule.until != nil && !(rule.stopsOnFailure && !errors.isEmpty)
        if isExhausted {
            let detail =
                "After \(runs) runs `until` does not hold yet. Allow more of them with times, or wait longer."
            throw AOperationError(.repeatExhausted, detail: detail, causes: errors)
        }
        if !errors.isEmpty { throw OperationErrors(list: kept.all(of: "runs")) }
        return latestResult ?? .empty
    }
}
