internal import Synchronization

extension OperationCore {
    /// Requests its end. An operation that is not being executed ends here and now; the task of a running one is
    /// cancelled, and its grace period begins. Only the first request counts.
    func stop(_ request: OperationLife.StopRequest, reason: String? = nil) {
        Self.stop([(self, request)], reason: reason)
    }

    /// Stops several; each has its request before the first one ends.
    static func stop(
        _ requests: [(core: OperationCore, request: OperationLife.StopRequest)], reason: String? = nil
    ) {
        let taken = requests.map { $0.core.take($0.request) }
        for ((core, request), taken) in zip(requests, taken) {
            guard let taken else { continue }
            core.raise(.cancelRequested(reason: reason))
            taken.task?.cancel()
            taken.parking?.callOff()
            if let parking = taken.parking, !taken.endsNow { parking.goOn(core, isOver: false) }
            if taken.endsNow {
                core.end(OperationEnding(state: request.state, errors: [request.error]))
            } else {
                core.clocks.armGrace(request)
            }
        }
        // The final operations inside of them are not held any more.
        requests.first?.core.environment.hold.lookAgain()
    }

    /// Whether it is settled how it ends, or that a later run decides it: no request stops it any more.
    var isSettled: Bool { parts.withLock { $0.life.isSettled } }

    /// Records the request; nil when it is not the first one. When `endsNow`, the caller must end the operation
    /// immediately.
    private func take(
        _ request: OperationLife.StopRequest
    ) -> (endsNow: Bool, task: Task<Void, Never>?, parking: Parking?)? {
        let endsInside = hasBegunToEndInside
        return parts.withLock { parts in
            switch parts.life.requestStop(request, endsInside: endsInside) {
            case .cancelTask: (false, parts.tasks.driver, parts.tasks.unpark())
            case .end: (true, parts.tasks.driver, parts.tasks.unpark())
            default: nil
            }
        }
    }

    /// Whether it began, in this run or an earlier one, and has something to do at its end.
    var hasBegunToEndInside: Bool {
        settings.endsInside && begunAt != nil
    }

    /// Ends it from outside its run; the entry in the journal becomes durable with the next flush.
    private func end(_ ending: OperationEnding) {
        if let known = endingBefore { return finish(known) }
        raise(.willFinish(ending))
        guard hooks.hasFinishHooks else { return finishNoted(ending) }
        _ = Task(executorPreference: environment.executor) {
            await self.hooks.announce(ending)
            self.finishNoted(ending)
        }
    }

    /// Ends it although its work goes on: its grace period is over.
    func abandon(_ request: OperationLife.StopRequest) {
        guard claimEnd() else { return }
        end(OperationEnding(state: request.state, errors: [request.error], abandoned: true))
    }

    private func finishNoted(_ ending: OperationEnding) {
        if let journal = environment.journal, !path.isEmpty {
            journal.record(JournalEntry(at: environment.clock.now, path: path, event: .finished(ending.kept)))
        }
        finish(ending)
    }
}
