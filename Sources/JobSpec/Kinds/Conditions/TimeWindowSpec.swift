internal import JobKit
internal import StrictJSON

/// Requires that a time window is open.
struct TimeWindowSpec: ConditionKind {
    var window: TimeWindow
    var waits: Bool

    static let name = "time_window"
    static let wait: WaitWords? = WaitWords(.timeWindow, "time") { _ in "its time window to open" }
    static let members: [any KindMember] = [
        zoneMember, daysMember, fromMember, toMember, exceptMember,
    ]
    static let outcomes: [ConditionOtherwise] = [.wait, .fail, .skip]
    private static let zoneMember = RequiredMember(
        "tz", .zone, remedy: "Give the time zone of the window.", suggestion: #""tz": "Europe/Berlin""#)
    private static let daysMember = OptionalMember("days", .weekdays)
    private static let fromMember = DefaultedMember("from", .timeOfDay(in: 0...1_439), default: 0)
    private static let toMember = DefaultedMember("to", .timeOfDay(in: 0...1_440), default: 1_440)
    private static let exceptMember = OptionalMember("except", .dates)

    static func read(
        _ object: JSONObject, _ otherwise: ConditionOtherwise, _ scope: SpecScope,
        _ reading: inout SpecReading
    ) -> TimeWindowSpec? {
        var window = TimeWindow()
        if let zone = zoneMember.read(object, scope, &reading) { window.zone = zone }
        if let days = daysMember.read(object, scope, &reading) { window.days = days }
        window.from = fromMember.read(object, scope, &reading)
        window.to = toMember.read(object, scope, &reading)
        if let dates = exceptMember.read(object, scope, &reading) { window.exceptions = dates }
        return TimeWindowSpec(window: window, waits: otherwise == .wait)
    }

    func condition(in surroundings: ConditionSurroundings) -> any OperationCondition {
        TimeWindowCondition(window, whenClosed: waits ? .wait : .fail)
    }
}

extension SpecForm where Value == Set<TimeWindow.Weekday> {
    fileprivate static var weekdays: SpecForm {
        SpecForm { reading, value in
            var days: Set<TimeWindow.Weekday> = []
            reading.elements(of: value) { reading, element in
                if let day = reading.word(element, TimeWindow.Weekday.self) { days.insert(day) }
            }
            if value.array?.isEmpty == true {
                reading.note(.outOfRange, "List at least one day, or leave \"days\" out.")
            }
            return days
        }
    }
}
