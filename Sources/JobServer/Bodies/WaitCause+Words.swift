import JobJournal
import JobKit
import JobSpec
import JobStore

/// The words of a cause.
extension WaitCause {
    var kind: String {
        switch subject {
        case .start: "time"
        case .queue, .line, .limit: "queue"
        case .turn: "unique"
        case .hold: "hold"
        case .wait(let wait): WaitWords.of(wait).category
        case .dependency, .others: "dependency"
        case .group: "group"
        case .slot, .suspendedGroup: "capacity"
        case .conditions: "condition"
        case .members: "members"
        case .work: "work"
        case .stop: "stop"
        }
    }

    /// The reason, for people.
    var detail: String {
        switch subject {
        case .start: "It starts at its run_at."
        case .queue: "It is runnable and waits for a slot of the server."
        case .line(let queue, let key):
            "It is runnable and waits for its turn in queue \(queue)\(key.map { ", key \($0)" } ?? "")."
        case .limit(let queue, let key, let obstacle):
            "Queue \(queue)\(key.map { ", key \($0)," } ?? "") \(obstacle.text)."
        case .turn(let key, let holder):
            "It waits until all jobs before it with the unique key \(key) are over; "
                + "\(holder) had it when this one came."
        case .hold(let note): "Held\(Self.words(of: note))"
        case .wait(let wait):
            "\(name ?? "It") waits for \(WaitWords.of(wait).object(wait))"
                + (holder.map { ", which \($0) holds" } ?? "") + "."
        case .dependency(let name, _): "\(name) is not finished."
        case .group(let name): "Its group \(name) has not begun."
        case .slot(_, nil): "It waits for a slot of its group."
        case .slot(_, let count?): "All \(count) slots of its group are taken."
        case .suspendedGroup: "Its group is suspended."
        case .conditions: "Its conditions are being evaluated."
        case .members(let names, let more):
            "Unfinished members: \(names.joined(separator: ", "))\(more > 0 ? " and \(more) more" : "")."
        case .others(let group): "It is a final operation, and \(group) has unfinished members."
        case .work: "An attempt is in flight."
        case .stop: "Its work was cancelled and has not stopped yet."
        }
    }

    /// The sentence that a job is in this state, with the reason.
    func summary(of state: JobState) -> String {
        if case .hold(let note) = subject, state == .held { return "The job is held\(Self.words(of: note))" }
        return "The job is \(state.rawValue). \(detail)"
    }

    /// The words after "held": by whom, why, and the remedy.
    private static func words(of note: JournalFold.HoldNote?) -> String {
        "\(Requester.text(note?.by))\(note?.reason.map { ": \($0)" } ?? ""). Release it with :release."
    }

    /// The event that ends the wait of a job, or of one of its operations, for people.
    func next(of job: JobID) -> String {
        switch subject {
        case .start: "It is queued \(until.map { "at \($0)" } ?? "then")."
        case .queue, .slot, .suspendedGroup: "It begins when a slot becomes free."
        case .line: "It begins at its turn, when a slot becomes free."
        case .limit(let queue, _, .paused):
            "It goes on when the queue is resumed: POST /v1/queues/\(queue):resume."
        case .limit(_, _, .concurrency): "It begins at its turn, when one of them ends."
        case .limit(_, _, .rate(_, let opens)): "The next may begin at \(opens)."
        case .turn: "It is queued when the last of them is over."
        case .hold: "It goes on when it is released: POST \(JobPath.text(job)):release."
        case .wait(let wait): WaitWords.of(wait).end(wait, job.description)
        case .dependency(let name, let states):
            "It begins when \(name) is finished\(Self.only(states))."
        case .group: "It begins with its group."
        case .conditions: "It begins when all of them hold."
        case .members: "It ends when all of its members have ended."
        case .others(let group):
            "It begins after all other members of \(group), whatever their outcomes."
        case .work: "It goes on when the attempt ends."
        case .stop: "It ends when the work stops, or is abandoned after its grace period."
        }
    }

    private static func only(_ states: EdgeStates?) -> String {
        states.map { $0 == .any ? "" : ", and only if it \($0.text)" } ?? ""
    }
}
