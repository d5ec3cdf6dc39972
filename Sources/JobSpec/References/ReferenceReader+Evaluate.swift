internal import JobKit

// DESIGN
// All jobs share one loop, and what an evaluation of predicates, values or requests takes is decided by a spec and by
// the answers of others. An evaluation is pure. So it runs on the loop with the steps of about a millisecond, which
// is all that nearly every one needs. When they do not suffice its work is thrown away, and it runs again from the
// beginning, elsewhere: as brief work with those of a tenth of a second, and with more as long as nothing waits for
// that thread. When something does, the work is thrown away once more, and it runs with those of some seconds. So one
// that is a little too long for the loop does not wait behind those that use up everything.

extension ReferenceReader {
    /// Evaluates `body`, which must have no effects: it may be called three times.
    /// - Throws: what `body` throws; `evaluation.too_long`; `cancelled.user` when the operation was stopped meanwhile.
    func evaluate<Value: Sendable>(
        _ body: @escaping @Sendable (Binding.Lookup) throws(AOperationError) -> Value
    ) async throws(AOperationError) -> Value {
        do throws(AOperationError) {
            return try body(lookup(StepMeter(StepMeter.sliceMax, of: name)))
        } catch {
            guard error.code == .evaluationTooLong else { throw error }
        }
        let (steps, work) = (board.evaluationSteps, board.work)
        if steps > StepMeter.briefMax {
            let meter = StepMeter(steps, of: name, first: StepMeter.briefMax) { !work.isWaiting(.brief) }
            do throws(AOperationError) { return try await evaluate(.brief, meter, body) } catch {
                guard error.code == .evaluationTooLong, !meter.isUsedUp else { throw error }
            }
        }
        return try await evaluate(.long, StepMeter(steps, of: name), body)
    }

    private func evaluate<Value: Sendable>(
        _ size: LongWorkSize, _ meter: StepMeter,
        _ body: @escaping @Sendable (Binding.Lookup) throws(AOperationError) -> Value
    ) async throws(AOperationError) -> Value {
        let lookup = lookup(meter)
        let (work, owner) = (board.work, board.owner)
        let outcome = await withTaskCancellationHandler {
            await work.result(size, for: owner) { () -> Result<Value, AOperationError> in
                Result { () throws(AOperationError) in try body(lookup) }
            }
        } onCancel: {
            meter.stop()
        }
        if Task.isCancelled { throw AOperationError(.cancelledUser, detail: "\(name) stopped.") }
        return try outcome.get()
    }
}
