internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// Jobs come in two ways: those that a commit makes runnable come with that commit (`offer`), so that they cost no write
// and no sync of their own; those that fall due, or found no room, are asked for (`claimMore`). Both take room first
// and give back what they did not need once their jobs have begun, so that never more jobs run than are allowed.
// Whoever finds no room because others hold it leaves a mark, and they ask again when they are done.

extension JobRunner {
    /// Has the store hand out jobs with the commits that make them runnable.
    func offer() {
        store.offerClaims(
            to: ClaimOffer(
                owner: settings.owner, lease: settings.lease,
                now: { [clock = environment.clock] in clock.now },
                makeRoom: { [self] in makeRoom() },
                take: { [self] claims, room in
                    if claims.isEmpty {
                        if giveBack(room) { loop.execute { [self] in claimMore() } }
                    } else {
                        loop.execute { [self] in taken(claims, room) }
                    }
                }))
    }

    /// Takes room for jobs; 0 when there is none, or when none are to begin any more.
    func makeRoom() -> Int {
        desk.withLock { desk in
            guard desk.isStarted, !desk.isDraining else { return 0 }
            let room = min(settings.concurrency - desk.runs.count - desk.promised, settings.claimBatchMax)
            guard room > 0 else {
                if desk.promised > 0 { desk.claimsAgain = true }
                return 0
            }
            desk.promised += room
            return room
        }
    }

    /// Gives room back. True when somebody found none meanwhile.
    func giveBack(_ room: Int) -> Bool {
        desk.withLock { desk in
            desk.promised -= room
            defer { if desk.promised == 0 { desk.claimsAgain = false } }
            return desk.claimsAgain
        }
    }

    /// Jobs have come with a commit. On the loop.
    private func taken(_ claims: [Claim], _ room: Int) {
        for claim in claims { begin(claim, isStopped: false) }
        if giveBack(room) || claims.count == room { claimMore() }
    }

    /// Puts back a job that came when none is to begin any more.
    func putBack(_ claim: Claim) {
        let past = JournalFold(claim.journal.map(\.entry))
        var standing = RunUpdate.Standing(
            state: .queued, attempt: claim.record.attempt, detail: claim.record.detail)
        standing.wasStarted = past.histories[[]]?.startedAt != nil
        store.update(RunUpdate(claim: claim.key, journal: [], standing: standing)) { _ in }
    }
}
