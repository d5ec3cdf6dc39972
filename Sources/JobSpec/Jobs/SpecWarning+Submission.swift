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

    /// A job that ends before its start.
    static func aboutStart(of spec: JobSpec, _ moment: Moment?) -> [SpecWarning] {
        let start: Duration? =
            switch spec.start {
            case .after(let delay): delay
            case .at(let date): moment.map { date.since($0.now) }
            case nil: nil
            }
        guard let start else { return [] }
        var found: [SpecWarning] = []
        if let most = spec.expiresAfter, start >= most {
            found.append(
                SpecWarning(
                    path: [spec.operation.name], code: "warning.expires_before_start",
                    detail:
                        "The job never runs: it may start \(DurationText.text(start)) after its submission, "
                        + "and expires \(DurationText.text(most)) after it. Let it expire later, or leave "
                        + "expires_after out."))
        }
        if let most = end(of: spec.operation, moment), start >= most {
            found.append(
                SpecWarning(
                    path: [spec.operation.name], code: "warning.deadline_before_start",
                    detail:
                        "The job never runs: it may start \(DurationText.text(start)) after its submission, "
                        + "and must have ended \(DurationText.text(most)) after it (deadline). Move one of them."
                ))
        }
        return found
    }

    /// The latest end of an operation, from the submission on.
    static func end(of operation: OperationSpec, _ moment: Moment?) -> Duration? {
        switch operation.deadline {
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
    /// The names of its secrets.
    var secretNames: Set<String> {
        var names: Set<String> = []
        visitReferences { if case .secret(let name) = $0.source { names.insert(name) } }
        return names
    }
}
