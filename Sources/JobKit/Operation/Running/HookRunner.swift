internal import Synchronization

/// Calls the hooks of an operation, in order.
struct HookRunner {
    let core: OperationCore

    private enum Outcome: Sendable {
        case done(HookDecision)
        case failed(AOperationError)
        /// The operation was stopped meanwhile, and waits for the hook no longer.
        case calledOff
    }

    /// Calls the hooks before the execution. False when the operation was stopped meanwhile, or cancelled by one of
    /// them.
    func allowExecution() async -> Bool {
        core.raise(.willExecute)
        for hook in core.baggage?.hooks ?? [] {
            guard case .willExecute(let body) = hook.body else { continue }
            let info = core.info
            switch await outcome(of: hook, "before the execution", { try await body(info) }) {
            case .done(.cancel(let reason)): core.cancel(code: .cancelledUser, reason: reason)
            case .failed(let error): record(error)
            case .done(.proceed), .calledOff: break
            }
            if core.isStopRequested { return false }
        }
        return !core.isStopRequested
    }

    var hasFinishHooks: Bool {
        core.baggage?.hooks.contains { if case .willFinish = $0.body { true } else { false } } ?? false
    }

    /// Calls those before the end. The outcome is decided.
    func announce(_ ending: OperationEnding) async {
        for hook in core.baggage?.hooks ?? [] {
            guard case .willFinish(let body) = hook.body else { continue }
            let info = core.info
            let outcome = await outcome(of: hook, "before the end") {
                try await body(info, ending)
                return .proceed
            }
            if case .failed(let error) = outcome { record(error) }
        }
    }

    private func record(_ error: AOperationError) {
        core.parts.withLock { $0.hookErrors.append(error) }
        core.raise(.hookFailed(error))
    }

    /// Runs a hook beside the operation, which waits no longer than the limit, or until it is stopped.
    private func outcome(
        of hook: OperationHook, _ place: String, _ body: @escaping @Sendable () async throws -> HookDecision
    ) async -> Outcome {
        let answer = FirstAnswer<Outcome>()
        let work = Task(executorPreference: core.environment.executor) {
            do {
                answer.give(.done(try await body()))
            } catch {
                let failure = AOperationError(.hookFailed, detail: "A hook \(place) threw:", because: error)
                answer.give(.failed(core.stamp(failure)))
            }
        }
        let watch = Task(executorPreference: core.environment.executor) {
            guard (try? await core.environment.clock.sleep(for: hook.limit)) != nil else { return }
            answer.give(
                .failed(
                    core.stamp(
                        AOperationError(
                            .hookTimeout, detail: "A hook \(place) took longer than \(hook.limit)."))))
        }
        let isEnding = core.state == .finishing
        let outcome = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            // The end of a cancelled operation is still announced: its hooks get their time.
            if !isEnding { answer.give(.calledOff) }
        }
        work.cancel()
        watch.cancel()
        return outcome
    }
}

extension OperationCore {
    var hooks: HookRunner { HookRunner(core: self) }

    /// The errors of its hooks.
    var hookErrors: [AOperationError] { parts.withLock { $0.hookErrors } }
}
