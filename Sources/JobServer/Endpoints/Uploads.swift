import EventIO
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/artifacts`: content that clients send before the jobs that use it.
enum Uploads {
    /// `POST /v1/artifacts`: stores the content, which the sink has taken already.
    static func create(_ context: RequestContext) throws(Problem) {
        guard let sink = context.exchange.sink as? UploadSink else {
            throw Problem(.internalError, "The content was not taken.")
        }
        Task(executorPreference: context.exchange.loop) {
            do throws(Problem) { try await store(sink, context) } catch { context.answer(error) }
        }
    }

    private static func store(_ sink: UploadSink, _ context: RequestContext) async throws(Problem) {
        let refusal: JobStoreError?
        do throws(JobStoreError) { refusal = try await sink.entry?.refusal() } catch { throw Problem(error) }
        if let refusal { throw Problem(refusal) }
        let artifact = try await sink.finish()
        let upload = UploadRecord(
            id: sink.id, artifact: artifact, contentType: sink.contentType, createdAt: SystemTime.now(),
            createdBy: context.caller.by)
        context.auditedStore(of: upload.id.description).perform(UploadCreation(upload)) { result in
            // Its file is kept until here, and then by its row.
            withExtendedLifetime(sink) { sink.entry?.end() }
            context.attempt { () throws(Problem) in
                let upload = try stored(result.get())
                context.server.metrics.uploads.count(upload)
                var fields = HTTPFields()
                fields.add("Location", "\(context.base)/v1/artifacts/\(upload.id)")
                context.answer(
                    .created, fields,
                    json: UploadBody.bytes(upload, base: context.base, at: context.startedAt))
            }
        }
    }

    /// `GET /v1/artifacts`, the newest first.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/artifacts", &query)
        try paging.answerNewest(
            context, itemBytes: 512, id: \UploadRecord.id,
            read: { reader, id, limit throws(JobStoreError) in try reader.uploads(before: id, limit: limit) },
            write: { UploadBody.append($0, base: context.base, at: context.startedAt, to: &$1) })
    }

    /// `GET /v1/artifacts/{id}`
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let upload = try upload(context)
        context.answer(.ok, json: UploadBody.bytes(upload, base: context.base, at: context.startedAt))
    }

    /// `GET /v1/artifacts/{id}/content`
    static func content(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let upload = try upload(context)
        try ContentAnswer(upload.artifact, contentType: upload.contentType, coding: nil, in: context).send(
            context)
    }

    /// `DELETE /v1/artifacts/{id}`
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let removal = UploadRemoval(try id(context), at: context.startedAt)
        context.auditedStore.perform(removal) { result in
            context.attempt { () throws(Problem) in
                try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    private static func id(_ context: RequestContext) throws(Problem) -> UploadID {
        let text = String(decoding: context.parameter.prefix(80), as: UTF8.self)
        if let id = UploadID(text) { return id }
        throw Problem(
            .uploadNotFound,
            "\"\(text)\" is not the id of an upload. Ids are \"art_\" and 26 letters and digits, as in Location."
        )
    }

    private static func upload(_ context: RequestContext) throws(Problem) -> UploadRecord {
        let id = try id(context)
        guard let upload = try stored(context.reader.upload(id)), !upload.isOver(at: context.startedAt) else {
            throw Problem(.noUpload(id))
        }
        return upload
    }

    /// Refuses a spec that names uploads which its job cannot use.
    static func check(_ places: [UploadPlace], _ context: RequestContext) throws(Problem) {
        var items: [Problem.Item] = []
        for place in places where items.count < Problem.itemsMax {
            let upload = try stored(context.reader.upload(place.id))
            let isOwn = context.tenant != nil || upload?.tenant == nil
            if let upload, isOwn, !upload.isOver(at: context.startedAt) { continue }
            items.append(item(place))
        }
        guard let first = items.first else { return }
        throw Problem(.invalidSpec, first.detail, items: items)
    }

    /// The problem of a spec which the store refused since a job cannot use an upload.
    static func problem(_ error: JobStoreError, _ places: [UploadPlace]) -> Problem {
        let meant = places.filter { JobStoreError.noUpload($0.id) == error }.prefix(Problem.itemsMax)
        return Problem(.invalidSpec, error.detail, items: meant.map(item))
    }

    private static func item(_ place: UploadPlace) -> Problem.Item {
        Problem.Item(
            .pointer(place.pointer.description), code: ProblemKind.uploadNotFound.code,
            detail: JobStoreError.noUpload(place.id).detail)
    }
}
