internal import Synchronization

/// A request to cancel operations, and with them the dependencies that only they need.
struct CancellationRequest {
    let code: ErrorCode
    /// For people, kept in the error.
    let reason: String?

    /// Requests the cancellation of all before any of them ends: none ends, or begins, because another one did.
    func cancel(_ operations: [OperationCore]) {
        let upstream = operations.map(Self.upstream)
        OperationCore.stop(operations.map { ($0, stop(of: $0)) }, reason: reason)
        for (operation, needed) in zip(operations, upstream) { cancelUnneeded(needed, with: operation) }
    }

    private func cancelUnneeded(_ upstream: [OperationCore], with dependant: OperationCore) {
        let request = Self(code: code, reason: "\(dependant.name), which needed it, was cancelled")
        var upstream = upstream
        while let next = upstream.popLast() {
            guard Self.isUnneeded(next) else { continue }
            upstream += Self.upstream(of: next)
            next.stop(request.stop(of: next), reason: request.reason)
        }
    }

    private func stop(of core: OperationCore) -> OperationLife.StopRequest {
        let detail = reason.map { "\(core.name) was cancelled: \($0)" } ?? "\(core.name) was cancelled."
        return OperationLife.StopRequest(
            error: core.stamp(AOperationError(code, detail: detail)), state: .cancelled)
    }

    /// The dependencies that are cancelled with it, unless another operation waits for them.
    private static func upstream(of core: OperationCore) -> [OperationCore] {
        core.settings.cancelsUpstream ? core.edges.map(\.core) : []
    }

    /// Whether all dependants are over or being cancelled.
    private static func isUnneeded(_ core: OperationCore) -> Bool {
        core.parts.withLock { $0.links.dependants }.allSatisfy { $0.ending != nil || $0.isStopRequested }
    }
}

extension OperationCore {
    package func cancel(code: ErrorCode, reason: String?) { Self.cancel([self], code: code, reason: reason) }

    /// Requests the cancellation of all.
    static func cancel(_ operations: [OperationCore], code: ErrorCode, reason: String?) {
        CancellationRequest(code: code, reason: reason).cancel(operations)
    }
}
