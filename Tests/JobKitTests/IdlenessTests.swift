import Testing

@testable import JobKit

@Suite struct `The idleness of an operation` {
    private let now = Timestamp(milliseconds: 0)
    private let date = Timestamp(milliseconds: 5_000)

    private func parts(in state: OperationState) -> OperationParts {
        let work = OperationCore.Work(run: { _ in }, captured: { nil }, restore: { _ in })
        var parts = OperationParts(edges: [], work: work, at: now)
        let path: [OperationLife.Event] = [
            .enqueued(dependencies: 0, isHeld: false), .evaluates(at: now), .isReady(at: now),
            .executes(at: now), .ends,
        ]
        for event in path where parts.life.state != state { _ = parts.life.apply(event) }
        return parts
    }

    /// The idleness as a word.
    private func idleness(_ parts: OperationParts, isHeld: Bool = false, beginsNothing: Bool = false)
        -> String
    {
        switch parts.idleness(isHeld: isHeld, beginsNothing: beginsNothing) {
        case .busy: "busy"
        case .until(let date): date == .never ? "idle" : "until \(date.milliseconds)"
        case .asChildren(let date): date == .never ? "as children" : "as children until \(date.milliseconds)"
        }
    }

    @Test func `ends when all dependencies are met and its queue begins it`() {
        var parts = parts(in: .pending)
        #expect(idleness(parts) == "idle")
        _ = parts.life.apply(.dependencyMet)
        #expect(idleness(parts) == "busy")
        #expect(idleness(parts, beginsNothing: true) == "idle")
    }

    @Test func `lasts until the first date that ends a wait or stops it`() {
        var parts = parts(in: .executing)
        #expect(idleness(parts) == "as children")
        let ticket = parts.waits.begin(OperationWait(until: date, reason: .delay))
        #expect(idleness(parts) == "until 5000")
        parts.tasks.setAlarm(Timestamp(milliseconds: 3_000))
        parts.tasks.setAlarm(Timestamp(milliseconds: 4_000))
        #expect(idleness(parts) == "until 3000")
        parts.waits.end(ticket)
        #expect(idleness(parts) == "as children until 3000")
    }

    @Test func `ends with a request to stop`() {
        var parts = parts(in: .executing)
        _ = parts.waits.begin(OperationWait(reason: .signal, key: "go"))
        #expect(idleness(parts) == "idle")
        let error = AOperationError(.cancelledUser, detail: "enough")
        _ = parts.life.requestStop(.init(error: error, state: .cancelled), endsInside: false)
        #expect(idleness(parts) == "busy")
    }

    @Test func `of one that waits for a release ends when nothing is held`() {
        var parts = parts(in: .ready)
        _ = parts.waits.begin(OperationWait(reason: .hold))
        #expect(idleness(parts, isHeld: true) == "idle")
        #expect(idleness(parts, isHeld: false) == "busy")
    }

    @Test func `of conditions takes each of them`() {
        var parts = parts(in: .evaluatingConditions)
        _ = parts.life.apply(.conditionsOpened(2))
        _ = parts.waits.begin(OperationWait(until: date, reason: .timeWindow))
        #expect(idleness(parts) == "busy")
        _ = parts.life.apply(.needsOpened(1))
        #expect(idleness(parts) == "as children until 5000")
        _ = parts.life.apply(.needsOpened(-1))
        _ = parts.life.apply(.conditionsOpened(-1))
        #expect(idleness(parts) == "until 5000")
    }

    @Test func `of one that is ready is that of its line`() {
        var parts = parts(in: .ready)
        #expect(idleness(parts) == "busy")
        parts.slot.isWaiting = true
        #expect(idleness(parts) == "idle")
    }

    @Test func `is none at the end`() {
        #expect(idleness(parts(in: .finishing)) == "busy")
    }
}
