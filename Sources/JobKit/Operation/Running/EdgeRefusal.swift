extension OperationSettings.Requirement {
    /// The outcome of an operation whose `dependency` ended like this; nil when it may run.
    func refusal(by dependency: String, _ ending: OperationEnding) -> OperationEnding? {
        // What was not begun in time has failed, for those that follow it.
        switch (self, ending.state == .expired ? .failed : ending.state) {
        case (.named(.finished), _), (.named(.succeeded), .succeeded), (.orderly, .succeeded): return nil
        case (.named(.failed), .failed), (.undisturbed, .succeeded), (.undisturbed, .failed): return nil
        case (.states(let states), let state) where states.contains(state): return nil
        case (.undisturbed, _):
            return Self.skip(
                .dependencySkipped, "Not run because \(dependency) was \(ending.state.rawValue).", ending)
        case (.named(.failed), _):
            return Self.skip(
                .dependencySkipped, "Runs only when \(dependency) fails, and it did not.", ending)
        case (.states(let states), let state) where !states.contains(.succeeded):
            return Self.skip(
                .dependencySkipped, "Not run because \(dependency) \(Self.text(of: state)).", ending)
        case (.orderly, .skipped) where !Self.isConsequence(ending): return nil
        case (.orderly(failureCounts: false), .failed): return nil
        case (_, .cancelled):
            let error = AOperationError(
                .dependencyCancelled, detail: "Not run because \(dependency) was cancelled.",
                causes: Self.origins(of: ending))
            return OperationEnding(state: .cancelled, errors: [error])
        case (_, .skipped):
            return Self.skip(.dependencySkipped, "Not run because \(dependency) was skipped.", ending)
        default:
            return Self.skip(.dependencyFailed, "Not run because \(dependency) failed.", ending)
        }
    }

    private static func text(of state: JobState) -> String {
        state == .cancelled || state == .skipped ? "was \(state.rawValue)" : state.rawValue
    }

    private static func isConsequence(_ ending: OperationEnding) -> Bool {
        ending.errors.first?.code.family == "dependency"
    }

    /// The root causes of an ending: a consequence passes on its own causes, so that a long chain does not accumulate
    /// them.
    private static func origins(of ending: OperationEnding) -> [AOperationError] {
        ending.errors.flatMap { error in
            error.code.family == "dependency" && !error.causes.isEmpty ? error.causes : [error]
        }
    }

    private static func skip(_ code: ErrorCode, _ detail: String, _ ending: OperationEnding)
        -> OperationEnding
    {
        OperationEnding(
            state: .skipped, errors: [AOperationError(code, detail: detail, causes: origins(of: ending))])
    }
}
