package import HTTPMessage
package import JobKit
package import StrictJSON

package enum ScheduleReader {
    /// Reads the schedule that `value` is.
    /// - Parameters:
    ///   - now: the moment; the schedule must have a time after it.
    ///   - egress: the permitted addresses of its job.
    ///   - kinds: the types that are not built in.
    ///   - templates: finds the templates that its job uses.
    /// - Returns: the schedule, or everything that is wrong with it.
    package static func read(
        _ value: JSONValue, name: String, now: Timestamp, egress: EgressPolicy?, kinds: OperationKinds,
        templates: @escaping TemplateLookup
    ) -> Result<ScheduleSpec, SpecProblems> {
        var reading = SpecReading(limits: .standard, now: now, kinds: kinds, templates: templates)
        let members = ScheduleMembersReader(name: name, scope: SpecScope(egress: egress))
        let spec = members.read(value, &reading)
        if let spec {
            members.checkJob(of: spec, isTemplate: value.object?["template"] != nil, &reading)
        }
        if let spec, reading.problems.isEmpty { members.checkTimes(of: spec, &reading) }
        if let spec, reading.problems.isEmpty { return .success(spec) }
        return .failure(SpecProblems(reading.problems, isCut: reading.isCut))
    }

    /// Reads a stored schedule without checking its job; nil when the bytes are damaged, or when this machine does not
    /// have its time zone.
    package static func readStored(_ bytes: [UInt8], name: String) -> ScheduleSpec? {
        guard let value = try? JSONParser.parse(bytes) else { return nil }
        var reading = SpecReading(limits: .standard, now: Timestamp(milliseconds: 0), kinds: nil)
        let spec = ScheduleMembersReader(name: name, scope: SpecScope()).read(value, &reading)
        return reading.problems.isEmpty ? spec : nil
    }
}

/// Reads the members of a schedule.
private struct ScheduleMembersReader {
    let name: String
    let scope: SpecScope

    private static let members = [
        "cron", "every", "calendar", "tz", "gap", "overlap", "missed", "jitter", "starts_at", "ends_at",
        "max_runs",
        "except", "pause_after_failures", "job", "template", "params",
    ]

    /// Members as they are read, in any order.
    private struct Draft {
        var times: ScheduleTimes?
        var gap: CalendarTimes.Gap?
        var zone = "UTC"
        var spec: ScheduleSpec
    }

    func read(_ value: JSONValue, _ reading: inout SpecReading) -> ScheduleSpec? {
        guard case .object(let object) = value else {
            reading.wrongType(
                value, "an object",
                suggestion:
                    #"{"cron": "0 3 * * *", "job": {"type": "network", "request": "https://example.com/"}}"#)
            return nil
        }
        let never = SchedulePlan(times: .every(.seconds(1), from: .never), zone: .utc, name: name)
        var draft = Draft(spec: ScheduleSpec(plan: never, zone: "UTC", job: .null))
        reading.members(of: object, "A schedule", known: Self.members) { reading, name, value in
            timeMember(name, value, of: &draft, object, &reading)
                || ruleMember(name, value, of: &draft.spec, &reading)
                || ["job", "template", "params"].contains(name)
        }
        job(of: object, &draft.spec, &reading)
        times(of: object, &draft, &reading)
        draft.spec.zone = draft.zone
        draft.spec.plan.zone = SystemZones.rules(named: draft.zone) ?? .utc
        return draft.spec
    }

    // MARK: Times

    private func timeMember(
        _ name: String, _ value: JSONValue, of draft: inout Draft, _ object: JSONObject,
        _ reading: inout SpecReading
    ) -> Bool {
        switch name {
        case "cron": draft.times = cron(value, &reading)
        case "every":
            let step = reading.duration(value, atLeast: .seconds(1), atMost: reading.limits.waitMax)
            draft.times = step.map { .every($0, from: Timestamp(milliseconds: 0)) }
        case "calendar":
            draft.times = CalendarTimesReader().read(value, scope, &reading).map(ScheduleTimes.on)
        case "tz": draft.zone = SpecForm<String>.zone.read(&reading, value, scope) ?? draft.zone
        case "gap": draft.gap = reading.word(value)
        case "starts_at": draft.spec.plan.startsAt = reading.time(value)
        case "ends_at": draft.spec.plan.endsAt = reading.time(value)
        case "except":
            draft.spec.plan.exceptions = SpecForm<Set<Int64>>.dates.read(&reading, value, scope) ?? []
        case "jitter":
            let most = Duration.seconds(86_400)
            draft.spec.plan.jitter = reading.duration(value, atLeast: .zero, atMost: most) ?? .zero
        default: return false
        }
        return true
    }

    private func cron(_ value: JSONValue, _ reading: inout SpecReading) -> ScheduleTimes? {
        guard let text = reading.string(value, "a cron expression such as \"0 3 * * MON-FRI\"") else {
            return nil
        }
        do throws(CronExpression.Failure) {
            return .cron(try CronExpression(text), gap: .after)
        } catch {
            reading.note(.badPattern, error.detail, suggestion: error.suggestion)
            return nil
        }
    }

    /// Puts the times together; that there is exactly one sort is checked here.
    private func times(of object: JSONObject, _ draft: inout Draft, _ reading: inout SpecReading) {
        let given = ["cron", "every", "calendar"].filter { object[$0] != nil }
        if given.isEmpty {
            return reading.missing(
                "cron", "Say when it runs: \"cron\", \"every\" or \"calendar\".",
                suggestion: #""cron": "0 3 * * *""#)
        }
        for name in given.dropFirst() {
            reading.note(
                member: name, .conflict,
                "A schedule has one of \"cron\", \"every\" and \"calendar\", and this one has \"\(given[0])\". "
                    + "Make two schedules of it.")
        }
        switch draft.times {
        case .cron(let expression, _): draft.spec.plan.times = .cron(expression, gap: draft.gap ?? .after)
        case .on(var times):
            times.gap = draft.gap ?? .after
            draft.spec.plan.times = .on(times)
        case .every(let step, _):
            let start = draft.spec.plan.startsAt ?? Timestamp(milliseconds: 0)
            draft.spec.plan.times = .every(step, from: start)
            if draft.gap != nil {
                reading.note(
                    member: "gap", .conflict,
                    "\"every\" counts elapsed time, which no clock change skips. Leave \"gap\" out.")
            }
        case nil: break
        }
    }

    /// There must be a time to come.
    func checkTimes(of spec: ScheduleSpec, _ reading: inout SpecReading) {
        let plan = spec.plan
        if let startsAt = plan.startsAt, let endsAt = plan.endsAt, endsAt < startsAt {
            return reading.note(member: "ends_at", .conflict, "It ends before it starts.")
        }
        guard plan.next(after: reading.now) == nil else { return }
        if plan.times.next(after: reading.now, in: plan.zone) == nil {
            let member = if case .on = plan.times { "calendar" } else { "cron" }
            return reading.note(
                member: member, .outOfRange,
                "It never happens: no year has such a day. For the last day of each month write L (\"last\")."
            )
        }
        reading.note(member: "ends_at", .outOfRange, "It has no time from now on until \"ends_at\".")
    }

    // MARK: Rules

    private func ruleMember(
        _ name: String, _ value: JSONValue, of spec: inout ScheduleSpec, _ reading: inout SpecReading
    ) -> Bool {
        switch name {
        case "overlap": spec.overlap = reading.word(value) ?? .skip
        case "missed": spec.missed = missed(value, &reading)
        case "max_runs": spec.runsMax = reading.int(value, in: 1...1_000_000_000)
        case "paused":
            reading.note(
                .unknownMember,
                "A schedule is paused with :pause and goes on with :resume. PUT leaves it as it is, and with "
                    + "?paused=true stores it paused.")
        case "pause_after_failures": spec.failuresMax = reading.int(value, in: 1...1_000)
        default: return false
        }
        return true
    }

    private func missed(_ value: JSONValue, _ reading: inout SpecReading) -> ScheduleSpec.Missed {
        var missed = ScheduleSpec.Missed()
        if case .string = value {
            missed.run = reading.word(value) ?? .latest
            return missed
        }
        reading.members(of: value, "missed", known: ["run", "within"]) { reading, name, value in
            switch name {
            case "run": missed.run = reading.word(value) ?? .latest
            case "within":
                let most = Duration.seconds(30 * 86_400)
                missed.within = reading.duration(value, atLeast: .zero, atMost: most) ?? missed.within
            default: return false
            }
            return true
        }
        return missed
    }

    // MARK: The job

    private func job(of object: JSONObject, _ spec: inout ScheduleSpec, _ reading: inout SpecReading) {
        if let template = object["template"] {
            if object["job"] != nil {
                reading.note(
                    member: "template", .conflict,
                    "A schedule has a \"job\" or a \"template\" with \"params\", not both. Leave one out.")
            }
            var made = JSONObject([("name", .string(name)), ("template", template)])
            if let params = object["params"] { made["params"] = params }
            spec.job = .object(made)
            return
        }
        if object["params"] != nil {
            reading.note(
                member: "params", .conflict, "\"params\" belong to a \"template\", and there is none.")
        }
        guard let job = object["job"] else {
            return reading.missing(
                "job", "Say what it runs: a \"job\", or a \"template\" with \"params\".",
                suggestion: #""job": {"type": "network", "request": "https://example.com/"}"#)
        }
        spec.job = job
        if case .object(var named) = job, named["name"] == nil {
            named["name"] = .string(name)
            spec.job = .object(named)
        }
    }

    /// Checks the job as it will be made; its problems are found at `job`, or at `template` and `params`.
    /// - Parameter isTemplate: whether the schedule names a template in place of a job.
    func checkJob(of spec: ScheduleSpec, isTemplate: Bool, _ reading: inout SpecReading) {
        guard case .object(let job) = spec.job else { return }
        if job["run_at"] != nil {
            reading.note(
                at: reading.pointer.appending("job").appending("run_at"), .notAvailable,
                "The schedule says when its jobs run. Leave \"run_at\" out.")
        }
        for label in ReservedLabel.allCases where job["labels"]?.object?[label.rawValue] != nil {
            reading.note(
                at: reading.pointer.appending("job").appending("labels").appending(label.rawValue),
                .notAvailable, label.detail)
        }
        let whole = spec.job(scheduledFor: reading.now)
        var inner = SpecReading(
            limits: reading.limits, now: reading.now, kinds: reading.kinds, templates: reading.templates)
        _ = JobMembersReader(scope).read(StoredSpec.submitted(whole), &inner)
        for upload in inner.account.uploads {
            let place = isTemplate ? reading.pointer : reading.pointer.appending("job")
            reading.note(
                at: isTemplate ? place.appending("template") : place.appending(upload.pointer), .notAvailable,
                "An upload is kept for 24 hours, or until the job that uses it is erased; a schedule may make jobs for "
                    + "longer. Put the content where its jobs can fetch it.")
        }
        for problem in inner.problems {
            let isOwn = isTemplate && ["template", "params"].contains(problem.pointer.tokens.first)
            let place = isOwn ? reading.pointer : reading.pointer.appending("job")
            reading.note(
                at: place.appending(problem.pointer), SpecProblemCode(rawValue: problem.code) ?? .conflict,
                problem.detail, suggestion: problem.suggestion)
        }
    }
}
