import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/schedules`: reads and removals.
enum Schedules {
    /// `GET /v1/schedules`, by name.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/schedules", &query)
        let after = try paging.text()
        try context.onReaderThread { reader throws(Problem) in
            try paging.answer(
                context, itemBytes: 1_024,
                read: { (last: ScheduleRecord?, limit: Int) throws(JobStoreError) in
                    try reader.schedules(after: last?.name ?? after, limit: limit)
                },
                token: { paging.token(behind: Array($0.name.utf8)) },
                write: { ScheduleBody.append($0, base: context.base, to: &$1) })
        }
    }

    /// `GET /v1/schedules/{name}`
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .schedule)
        let record = try ScheduleEdit.known(try ScheduleEdit.record(name, context), name)
        answer(context, record)
    }

    /// `DELETE /v1/schedules/{name}`: its jobs go on.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        try delete(context, tries: 0)
    }

    private static func delete(_ context: RequestContext, tries: Int) throws(Problem) {
        let name = try context.name(of: .schedule)
        let record = try ScheduleEdit.known(try ScheduleEdit.record(name, context), name)
        let condition = try VersionCondition(context.request.head.fields)
        _ = try condition.version(of: name, now: record.version)
        let by = context.caller.by
        context.auditedStore.perform(ScheduleRemoval(name, revision: record.revision)) { result in
            context.goOn { () throws(Problem) in
                switch result {
                case .success: break
                case .failure(let error)
                where error.code == .moved(.schedule) && tries < ScheduleEdit.triesMax:
                    return try delete(context, tries: tries + 1)
                case .failure(let error): throw Problem(error)
                }
                context.server.log.write(.info, "schedule_removed") { line in
                    line.member("schedule", name)
                    line.member("by", by: by)
                }
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    /// Answers with a schedule, as much of it as the caller may see.
    static func answer(
        _ context: RequestContext, _ record: ScheduleRecord, _ status: HTTPStatus = .ok,
        _ warnings: [SpecWarning]? = nil
    ) {
        var fields = HTTPFields()
        fields.add("ETag", VersionCondition.tag(record.version))
        let body =
            context.showsJobs
            ? ScheduleBody.bytes(record, base: context.base, warnings: warnings)
            : ScheduleBody.minimal(record, warnings: warnings)
        context.answer(status, fields, json: body)
    }
}
