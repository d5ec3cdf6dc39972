internal import Synchronization

extension OperationCore {
    private enum HookOutcome: Sendable {
        case done(AHookDecision)
        case failed(AOperationError)
        /// The operation was stopped meanwhile; nobody waits for the hook any more.
        case calledOff
    }

    /// What went wrong in its hooks.
    var hookErrors: [AOperationError] { standing.withLock { $0.hookErrors } }

    /// Calls the hooks before the execution, in order. False when it was stopped meanwhile, or one of them wants it.
    func hooksAllowExecution() async -> Bool {
        raise(.willExecute)
        for hook in settings.hooks {
            guard case .willExecute(let body) = hook.body else { continue }
            let info = info
            switch await outcome(of: hook, "before the execution", { try await body(info) }) {
            case .done(.cancel(let reason)): cancel(code: .cancelledUser, reason: reason)
            case .failed(let error): record(error)
            case .done(.proceed), .calledOff: break
            }
            if isStopRequested { return false }
        }
        return !isStopRequested
    }

    var hasFinishHooks: Bool {
        settings.hooks.contains { if case .willFinish = $0.body { true } else { false } }
    }

    /// Calls the hooks before the end, in order. The outcome is decided.
    func callFinishHooks(_ ending: OperationEnding) async {
        for hook in settings.hooks {
            guard case .willFinish(let body) = hook.body else { continue }
            let info = info
            let outcome = await outcome(of: hook, "before the end") {
                try await body(info, ending)
                return .proceed
            }
            if case .failed(let error) = outcome { record(error) }
        }
    }

    private func record(_ error: AOperationError) {
        standing.withLock { $0.hookErrors.append(error) }
        raise(.hookFailed(error))
    }

    /// Runs a hook beside the operation, which waits no longer than the limit, or until it is stopped.
    private func outcome(
        of hook: AOperationHook, _ place: String, _ body: @escaping @Sendable () async throws -> AHookDecision
    ) async -> HookOutcome {
        let answer = FirstAnswer<HookOutcome>()
        let work = Task(executorPreference: environment.executor) {
            do {
                answer.give(.done(try await body()))
            } catch {
                let failure = AOperationError(.hookFailed, detail: "A hook \(place) threw:", because: error)
                answer.give(.failed(self.stamp(failure)))
            }
        }
        let watch = Task(executorPreference: environment.executor) {
            guard (try? await self.environment.clock.sleep(for: hook.limit)) != nil else { return }
            answer.give(
                .failed(
                    self.stamp(
                        AOperationError(
                            .hookTimeout, detail: "A hook \(place) took longer than \(hook.limit)."))))
        }
        let isEnding = state == .finishing
        let outcome = await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            // The end of what was stopped is still announced: its hooks get their time.
            if !isEnding { answer.give(.calledOff) }
        }
        work.cancel()
        watch.cancel()
        return outcome
    }
}
