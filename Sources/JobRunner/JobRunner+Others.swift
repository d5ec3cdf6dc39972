internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// A member that another server adds needs its group to be open until the member is stored. The run keeps it open for a
// while on request, and the server that asked acknowledges the member only if it was stored in that time. The stored
// member ends the reservation when it arrives.

/// What servers that share a store do for each other's runs.
extension JobRunner {
    /// The time that a run keeps a group open for a member of another server.
    static let reservedFor = Duration.seconds(10)
    private static let reserve = "reserve"
    private static let forget = "forget"
    private static let progressSubject = "progress"

    /// Answers the questions of other servers.
    func answerOthers() {
        link.on(Self.reserve) { [self] id, body, answer in
            let group = Self.path(body)
            loop.execute { [self] in
                guard let run = state.withLock({ $0.runs[id] }) else { return }
                let place = run.reserveMember(in: group)
                if place == .reserved { lend(group, of: id) }
                if place != .notRunning { answer([place == .reserved ? 1 : 0]) }
            }
        }
        link.on(Self.forget) { [self] id, body, _ in
            loop.execute { [self] in endLoan(of: Self.path(body), of: id, isFilled: false) }
        }
        link.on(ServerMessage.granted) { [self] id, body, _ in
            let path = Self.path(body)
            state.withLock { $0.runs[id] }?.keys?.granted(to: path)
        }
        link.on(Self.progressSubject) { [self] id, body, _ in
            if let progress = JobProgress(message: body) { others.note(progress, of: id) }
        }
    }

    /// Asks the server that runs a job to keep a group open.
    func reserveElsewhere(
        in group: [String], of id: JobID, answer: @escaping @Sendable (MemberPlace) -> Void
    ) {
        let until = ContinuousClock.now + Self.reservedFor
        link.ask(Self.reserve, about: id, Self.bytes(group)) { found in
            switch found?.first {
            case nil: answer(.notRunning)
            case 1: answer(.reservedElsewhere(until: until))
            default: answer(.closed)
            }
        }
    }

    /// Ends a reservation at another server.
    func forgetElsewhere(in group: [String], of id: JobID) {
        link.notify(Self.forget, of: id, Self.bytes(group))
    }

    private static func bytes(_ path: [String]) -> [UInt8] { Array(path.joined(separator: "/").utf8) }

    private static func path(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "/").map(String.init)
    }

    /// Keeps a group open for a member of another server. On the loop.
    private func lend(_ group: [String], of id: JobID) {
        let loan = MemberLoan(job: id, group: group, number: .random(in: 0...UInt64.max))
        state.withLock { $0.loans.append(loan) }
        Task(executorPreference: loop) { [self] in
            // Longer than the other server counts on it.
            try? await environment.clock.sleep(for: Self.reservedFor + .seconds(5))
            endLoan(of: group, of: id, isFilled: false) { $0 == loan }
        }
    }

    /// Ends a reservation for another server.
    /// - Parameter isFilled: whether its member has come, which ends the reservation in the tree.
    func endLoan(
        of group: [String], of id: JobID, isFilled: Bool, where isMeant: (MemberLoan) -> Bool = { _ in true }
    ) {
        let run = state.withLock { state -> JobRun? in
            let place = state.loans.firstIndex { $0.job == id && $0.group == group && isMeant($0) }
            guard let place else { return nil }
            state.loans.remove(at: place)
            return state.runs[id]
        }
        if !isFilled { run?.forgetMember(in: group) }
    }

    // MARK: Progress

    /// Tells the other servers how far the jobs are that report progress here.
    func tellProgress() {
        guard link.isShared else { return }
        link.notify(
            progress.news().map { id, progress in
                ServerMessage(.notice, job: id, subject: Self.progressSubject, body: progress.message)
            })
    }
}

/// A group that is kept open for a member of another server.
struct MemberLoan: Equatable {
    var job: JobID
    var group: [String]
    var number: UInt64
}

extension JobProgress {
    /// The coding in messages: numbers and unit with spaces between.
    var message: [UInt8] { Array("\(done) \(total.map(String.init) ?? "-") \(unit ?? "")".utf8) }

    init?(message: [UInt8]) {
        let parts = String(decoding: message, as: UTF8.self)
            .split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let done = Int64(parts[0]) else { return nil }
        self.init(done: done, total: Int64(parts[1]), unit: parts[2].isEmpty ? nil : String(parts[2]))
    }
}
