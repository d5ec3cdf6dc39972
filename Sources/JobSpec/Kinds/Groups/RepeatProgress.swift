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
    /// Why `until` could not be decided on the last run.
    private var obstacle: AOperationError?

    private var errors: [AOperationError] { kept.first }

    init(rule: RepeatSpec) { self.rule = rule }

    /// Records the end of a run.
    mutating func note(_ ending: OperationEnding) {
        runs += 1
        last = ending
        if ending.state == .succeeded { latestResult = ending.result ?? .empty }
        if ending.state == .failed || ending.state == .expired { kept.add(ending.errors) }
    }

    /// Whether no further run is needed. A result that `until` cannot look into is no verdict: the next run decides.
    mutating func isOver(_ references: ReferenceReader) async throws(AOperationError) -> Bool {
        if rule.stopsOnFailure && !errors.isEmpty { return true }
        guard let until = rule.until, let last else { return false }
        let board = references.board
        let verdict = try await references.evaluate { lookup throws(AOperationError) in
            guard let document = try board.document(of: last, with: until.bodyUse, lookup.meter) else {
                return JSONPredicate.Verdict.fails
            }
            return try until.verdict(on: document, lookup: lookup)
        }
        obstacle = if case .unknown(let error) = verdict { error } else { nil }
        isReached = verdict.holds
        return isReached
    }

    /// The result of the repetition: that of the latest successful run.
    ///
    /// With `until` it is reached or not, whatever failed before; without it every failed run counts.
    /// - Throws: the errors of the runs, or `repeat.exhausted` with them as causes.
    func result() throws -> OperationResult {
        if isReached { return latestResult ?? .empty }
        let isExhausted = rule.until != nil && !(rule.stopsOnFailure && !errors.isEmpty)
        if isExhausted {
            let detail =
                "After \(runs) runs `until` does not hold yet\(obstacle.map { ": \($0.detailWithoutEnd)" } ?? ""). "
                + "Allow more of them with times, or wait longer."
            throw AOperationError(.repeatExhausted, detail: detail, causes: errors)
        }
        if !errors.isEmpty { throw OperationErrors(list: kept.all(of: "runs")) }
        return latestResult ?? .empty
    }
}
