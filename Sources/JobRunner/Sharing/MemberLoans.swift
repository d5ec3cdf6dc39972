internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// A member that another server adds needs its group to be open until the member is stored. The run keeps it open for a
// while on request, and the server that asked acknowledges the member only if it was stored in that time. The stored
// member ends the reservation when it arrives.

/// Reservations in groups, for members that another server than the one of the run adds.
final class MemberLoans: Sendable {
    /// A group that is kept open for a member of another server.
    private struct Loan: Equatable {
        var job: JobID
        var group: [String]
        var number: UInt64
    }

    /// The time that a run keeps a group open for a member of another server.
    static let reservedFor = Duration.seconds(10)
    private static let reserve = "reserve"
    private static let forget = "forget"

    private let link: ServerLink
    private let loop: any EngineLoop
    private let loans = Mutex<[Loan]>([])

    init(link: ServerLink, loop: any EngineLoop) {
        self.link = link
        self.loop = loop
    }

    /// Answers the questions of other servers.
    /// - Parameter run: the run of a job on this server.
    func begin(run: @escaping @Sendable (JobID) -> JobRun?) {
        link.on(Self.reserve) { [self] id, body, answer in
            let group = body.names
            loop.execute { [self] in
                guard let found = run(id) else { return }
                let place = found.reserveMember(in: group)
                if place == .reserved { lend(group, of: found) }
                if place != .notRunning { answer([place == .reserved ? 1 : 0]) }
            }
        }
        link.on(Self.forget) { [self] id, body, _ in
            loop.execute { [self] in end(group: body.names, of: id, run: run(id), isFilled: false) }
        }
    }

    /// Asks the server that runs a job to keep a group open.
    func reserveElsewhere(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void
    ) {
        let until = ContinuousClock.now + Self.reservedFor
        link.ask(Self.reserve, about: id, [UInt8](names: group)) { found in
            switch found?.first {
            case nil: answer(.notRunning)
            case 1: answer(.reservedElsewhere(until: until))
            default: answer(.closed)
            }
        }
    }

    /// Ends a reservation at another server.
    func forgetElsewhere(in group: [String], of id: JobID) {
        link.notify(Self.forget, of: id, [UInt8](names: group))
    }

    /// Ends a reservation for another server, whose member has come.
    func fill(_ group: [String], of id: JobID) { end(group: group, of: id, run: nil, isFilled: true) }

    /// Keeps a group open for a member of another server. On the loop.
    private func lend(_ group: [String], of run: JobRun) {
        let loan = Loan(job: run.id, group: group, number: .random(in: 0...UInt64.max))
        loans.withLock { $0.append(loan) }
        Task(executorPreference: loop) { [self] in
            // Longer than the other server counts on it.
            guard (try? await loop.clock.sleep(for: Self.reservedFor + .seconds(5))) != nil else { return }
            end(group: group, of: run.id, run: run, isFilled: false) { $0 == loan }
        }
    }

    /// - Parameter isFilled: whether the member has come, which ends the reservation in the tree.
    private func end(
        group: [String], of id: JobID, run: JobRun?, isFilled: Bool,
        where isMeant: (Loan) -> Bool = { _ in true }
    ) {
        let isKnown = loans.withLock { loans -> Bool in
            let place = loans.firstIndex { $0.job == id && $0.group == group && isMeant($0) }
            guard let place else { return false }
            loans.remove(at: place)
            return true
        }
        if isKnown, !isFilled { run?.forgetMember(in: group) }
    }
}

extension [UInt8] {
    /// The path of an operation in a message.
    init(names: [String]) { self = Array(names.joined(separator: "/").utf8) }

    /// The path of an operation from a message.
    var names: [String] {
        String(decoding: self, as: UTF8.self).split(separator: "/").map(String.init)
    }
}
