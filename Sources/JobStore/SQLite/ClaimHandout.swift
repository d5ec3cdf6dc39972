import JobKit

/// The jobs that one transaction hands out because it makes them runnable.
struct ClaimHandout {
    private let offer: ClaimOffer?
    private var room = 0
    private var claims: [Claim] = []

    /// Nothing yet.
    init(_ offer: ClaimOffer?) { self.offer = offer }

    /// Claims what the transaction has made runnable, as far as there is room.
    mutating func claim(in session: WriterSession) throws(SQLiteFailure) {
        guard let offer, session.changes.contains(where: { $0.state == .queued }) else { return }
        room = offer.makeRoom()
        guard room > 0 else { return }
        let found = try session.claim(limit: room, owner: offer.owner, now: offer.now(), lease: offer.lease)
        if case .success(let claims) = found { self.claims = claims }
    }

    /// Hands the jobs over. After the commit.
    func deliver() {
        if room > 0 { offer?.take(claims, room) }
    }

    /// Gives the room back: nothing was claimed.
    func takeBack() {
        if room > 0 { offer?.take([], room) }
    }
}
