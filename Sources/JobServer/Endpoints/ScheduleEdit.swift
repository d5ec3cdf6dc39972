import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore

/// Changes of one schedule: read, decided and stored again if it was changed by others meanwhile.
struct ScheduleEdit: Sendable {
    let context: RequestContext
    let name: String
    /// Makes the change; nil when the request is answered without one.
    let make: @Sendable (ScheduleRecord?, any JobReader) throws(Problem) -> ScheduleChange?
    /// Answers.
    let done: @Sendable (ScheduleReceipt) throws(Problem) -> Void

    /// The maximum number of tries while others change the schedule.
    static let triesMax = 20

    /// Planned times that are due get their jobs by the schedule as it is before the change.
    func run() throws(Problem) {
        let record = try ScheduleEdit.record(name, context)
        guard let record, record.progress.wakeAt ?? .never <= SystemTime.now() else {
            return try change(tries: 0)
        }
        context.server.engine.settleSchedule(context.tenant?.stored(name) ?? name) {
            context.goOn { () throws(Problem) in try change(tries: 0) }
        }
    }

    private func change(tries: Int) throws(Problem) {
        guard let change = try make(try ScheduleEdit.record(name, context), context.reader) else {
            return
        }
        context.auditedStore.perform(change) { result in
            if case .success = result { context.server.engine.lookAtSchedules() }
            context.goOn { () throws(Problem) in
                switch result {
                case .success(let receipt): try done(receipt)
                case .failure(let error):
                    let isMoved = error.code == .moved(.schedule) || error.code == .occurrenceTaken
                    guard isMoved, tries < Self.triesMax else { throw Problem(error) }
                    try self.change(tries: tries + 1)
                }
            }
        }
    }

    static func record(_ name: String, _ context: RequestContext) throws(Problem) -> ScheduleRecord? {
        try record(name, context.reader)
    }

    static func record(_ name: String, _ reader: any JobReader) throws(Problem) -> ScheduleRecord? {
        try stored(reader.schedule(name))
    }

    /// The schedule that the request names.
    static func known(_ record: ScheduleRecord?, _ name: String) throws(Problem) -> ScheduleRecord {
        guard let record else { throw Problem(.noSchedule(name)) }
        return record
    }

    /// The stored spec of a schedule.
    static func spec(of record: ScheduleRecord) throws(Problem) -> ScheduleSpec {
        guard let spec = ScheduleReader.readStored(record.body, name: record.name) else {
            throw Problem(
                .internalError,
                "The schedule \(record.name) cannot be read here: its time zone may be missing on this machine."
            )
        }
        return spec
    }
}
