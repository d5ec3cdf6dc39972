package import JobKit
internal import StrictJSON

/// Warnings about a spec that is submitted: it can never run, or lacks something that is stored elsewhere.
extension SpecWarning {
    /// The facts that are known when a spec is submitted.
    package struct Moment: Sendable {
        let now: Timestamp
        let vault: (any SecretVault)?

        /// - Parameters:
        ///   - now: when it is submitted.
        ///   - vault: the stored secrets; nil skips warnings about them.
        package init(now: Timestamp, vault: (any SecretVault)?) {
            (self.now, self.vault) = (now, vault)
        }
    }

    /// An operation that is over before it may begin.
    /// - Parameter path: its path in the plan.
    static func aboutTimes(
        of operation: OperationSpec, at path: @autoclosure () -> [String], _ moment: Moment?
    ) -> [SpecWarning] {
        guard let start = span(to: operation.runAt, moment) else { return [] }
        var found: [SpecWarning] = []
        if let most = span(to: operation.startBy, moment), start >= most {
            found.append(
                SpecWarning(
                    path: path(), code: "warning.start_by_before_run_at",
                    detail:
                        "It never runs: run_at is \(DurationText.text(start)) after the submission, and start_by "
                        + "\(DurationText.text(most)). Move one of them, or leave start_by out."))
        }
        if let most = span(to: operation.finishBy, moment), start >= most {
            found.append(
                SpecWarning(
                    path: path(), code: "warning.finish_by_before_run_at",
                    detail:
                        "It never runs: run_at is \(DurationText.text(start)) after the submission, and finish_by "
                        + "\(DurationText.text(most)). Move one of them."))
        }
        return found
    }

    /// The time from the submission on; nil when it is not known.
    static func span(to time: SpecTime?, _ moment: Moment?) -> Duration? {
        switch time {
        case .after(let duration): duration
        case .at(let date): moment.map { date.since($0.now) }
        case nil: nil
        }
    }

    /// Secrets of a call that are not stored.
    static func aboutSecrets(
        _ call: NetworkSpec, _ moment: Moment?
    ) -> [(code: String, detail: String)] {
        guard let vault = moment?.vault else { return [] }
        return call.secretNames.sorted().filter { vault.secret(named: $0) == nil }.map { name in
            (
                "warning.secret_missing",
                "There is no secret \(name) yet; without it the call fails with auth.secret_missing. Store it with "
                    + "PUT /v1/secrets/\(name)."
            )
        }
    }
}

extension NetworkSpec {
    /// Whether it hands out a callback URL.
    var handsOutCallback: Bool {
        var isFound = false
        visitReferences { if case .callback = $0.source { isFound = true } }
        return isFound
    }

    /// The names of its secrets.
    var secretNames: Set<String> {
        var names: Set<String> = []
        visitReferences { if case .secret(let name) = $0.source { names.insert(name) } }
        return names
    }
}
