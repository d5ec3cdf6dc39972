package import JobKit
package import StrictJSON

/// A schedule as it was stored: planned times, the job that is made at each, and the rules for what comes between.
package struct ScheduleSpec: Sendable {
    package var plan: SchedulePlan
    /// The time zone of the plan.
    package var zone: String
    package var overlap = Overlap.skip
    package var missed = Missed()
    /// The number of jobs after which the schedule is over; nil has no end.
    package var runsMax: Int?
    /// Whether it is to be paused or to run; nil leaves that as it is.
    package var isPaused: Bool?
    /// The number of failed jobs in a row that pauses it; nil never does.
    package var failuresMax: Int?
    /// The job of each planned time, with its name.
    package var job: JSONValue

    package init(plan: SchedulePlan, zone: String, job: JSONValue) {
        self.plan = plan
        self.zone = zone
        self.job = job
    }

    /// The rule for a planned time at which an earlier job of the schedule has not ended.
    package enum Overlap: String, Sendable, Hashable, CaseIterable {
        /// No job is made.
        case skip
        /// One job waits for the earlier one.
        case wait
        /// The earlier job is cancelled.
        case replace
        /// Both run.
        case allow
    }

    /// The rule for planned times that passed while no server could make their jobs.
    package struct Missed: Sendable, Hashable {
        /// The ones whose jobs are made.
        package enum Choice: String, Sendable, Hashable, CaseIterable {
            case latest, none, all
        }

        package var run = Choice.latest
        /// The lateness beyond which none is made.
        package var within = Duration.seconds(86_400)
    }

    /// Whether the ends of its jobs matter.
    package var watchesJobs: Bool { overlap != .allow || failuresMax != nil }

    /// The label of the jobs of schedules.
    package static let label = ReservedLabel.schedule.rawValue

    /// The spec of the job of one planned time.
    package func job(scheduledFor date: Timestamp) -> JSONValue {
        guard case .object(var object) = job else { return job }
        var labels = object["labels"]?.object ?? JSONObject()
        labels[Self.label] = .string(plan.name)
        object["labels"] = .object(labels)
        if overlap == .wait {
            object["conditions"] = .array([oneAtATime] + (object["conditions"]?.array ?? []))
        }
        return StoredSpec.scheduled(.object(object), for: date)
    }

    /// Jobs of this schedule wait for each other.
    private var oneAtATime: JSONValue {
        ["type": .string(LockSpec.name), "key": .string("schedule:" + plan.name)]
    }
}
