package import JobKit
internal import StrictJSON

package struct DelaySpec: Sendable, Hashable {
    package var length: Length

    package init(_ length: Length) { self.length = length }

    /// The length of a delay.
    package enum Length: Sendable, Hashable {
        /// For a duration from the start of the execution; at most 366 days.
        case `for`(Duration)
        /// Until a date; a past one is over immediately.
        case until(Timestamp)
        /// For a duration from the submission of the job (`"for": …, "counted_from": "submission"`).
        case sinceSubmission(Duration)
    }
}

extension DelaySpec: BuiltInKind {
    private enum Origin: String, CaseIterable { case execution, submission }

    static let name = "delay"
    static let wait: WaitWords? = WaitWords(.delay, "time") { _ in "its delay to end" }
    static let members: [any KindMember] = [forMember, untilMember, fromMember]
    private static let forMember = OptionalMember<Duration>(
        "for", SpecForm { $0.duration($1, atLeast: .zero, atMost: $0.limits.waitMax) })
    private static let untilMember = OptionalMember<Timestamp>("until", SpecForm { $0.nearTime($1) })
    private static let fromMember = OptionalMember<Origin>("counted_from", .word)

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> DelaySpec? {
        length(object, scope, &reading).map(DelaySpec.init)
    }

    private static func length(
        _ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> Length? {
        let origin = fromMember.read(object, scope, &reading)
        switch (object["for"] != nil, object["until"] != nil) {
        case (true, false):
            return forMember.read(object, scope, &reading).map {
                origin == .submission ? .sinceSubmission($0) : .for($0)
            }
        case (false, true):
            if object["counted_from"] != nil {
                reading.note(
                    member: "counted_from", .conflict, "\"counted_from\" goes with \"for\", not \"until\".")
            }
            return untilMember.read(object, scope, &reading).map(Length.until)
        case (false, false):
            reading.missing(
                "for", "A delay says how long (\"for\") or until when (\"until\").",
                suggestion: #""for": "90s""#)
            return nil
        case (true, true):
            reading.note(
                member: "until", .conflict, "A delay has \"for\" or \"until\", not both. Leave one out.")
            return nil
        }
    }

    var planWords: [String] {
        switch length {
        case .for(let duration): [DurationText.text(duration)]
        case .until(let date): ["until \(date)"]
        case .sinceSubmission(let duration): ["\(DurationText.text(duration)) from submission"]
        }
    }

    func isPlain(in operation: OperationSpec) -> Bool {
        operation.finishBy == nil && operation.timeout == nil
    }

    /// Warns about a delay that exceeds its own limits.
    func warnings(
        about operation: OperationSpec, at moment: SpecWarning.Moment?
    ) -> [(code: String, detail: String)] {
        let (least, since): (Duration?, Duration?) =
            switch length {
            case .for(let length): (length, length)
            case .sinceSubmission(let length): (nil, length)
            case .until(let date): (nil, moment.map { date.since($0.now) })
            }
        if let least, let most = operation.timeout, least >= most {
            return [
                (
                    "warning.delay_beyond_timeout",
                    "The delay takes \(DurationText.text(least)) and fails after \(DurationText.text(most)) "
                        + "(timeouts.total). Make one longer or the other shorter."
                )
            ]
        }
        guard let since, let most = SpecWarning.span(to: operation.finishBy, moment), since >= most else {
            return []
        }
        return [
            (
                "warning.delay_beyond_finish_by",
                "The delay ends \(DurationText.text(since)) after the submission at the earliest, and must have "
                    + "ended \(DurationText.text(most)) after it (finish_by). Move one of them."
            )
        ]
    }

    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        let until: DelayOperation.Until =
            switch length {
            case .for(let duration): .after(duration)
            case .until(let date): .date(date)
            case .sinceSubmission(let duration): .afterSubmission(duration)
            }
        let operation = DelayOperation(until, name: spec.name)
        return OperationRecipe(spec.name) { context in
            try await operation.execute(in: context)
            return .empty
        }
    }
}
