import JobKit
import JobRunner
import JobStore
import StrictJSON

/// The callback for the end of a job: a CloudEvent in JSON,
/// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
enum CallbackEvent {
    /// The event: `{specversion, id, source, type, subject, time, datacontenttype, data}`. `data` is the job as `GET
    /// /v1/jobs/{id}` shows it. All receivers of one end get the same id, and each end has its own. When a job would
    /// make the event larger than `bytesMax`, the event omits `errors`, and its `error` omits the upstream's response.
    static func text(_ job: JobRecord) -> String {
        let whole = bytes(job)
        let isWhole = whole.count <= bytesMax
        return String(decoding: isWhole ? whole : bytes(reduced(job), .first), as: UTF8.self)
    }

    /// The maximum size of an event with all members: 256 KiB.
    static let bytesMax = 256 << 10
    /// The maximum size of the error in a reduced event.
    private static let errorBytesMax = 16 << 10
    /// The number of characters kept of the error's detail.
    private static let detailLengthMax = 1_000

    /// A job without the members that make its event too large.
    private static func reduced(_ job: JobRecord) -> JobRecord {
        var detail = job.detail.values
        detail.errors = detail.errors.prefix(1).map(reduced)
        detail.result?.headers = []
        detail.lastError = nil
        var job = job
        job.detail = StoredDetail(detail)
        if let metadata = try? JSONParser.parse(job.metadata) { job.metadata = metadata.encoded() }
        return job
    }

    private static func reduced(_ error: AOperationError) -> AOperationError {
        var error = error
        error.upstream = nil
        error.causes = []
        error.publishedError = nil
        if ErrorBody.bytes(error).count <= errorBytesMax { return error }
        let detail = String(error.detail.prefix(detailLengthMax)) + "…"
        return AOperationError(
            error.code, title: error.title, detail: detail, stage: error.stage, publisher: error.publisher)
    }

    private static func bytes(_ job: JobRecord, _ extent: BodyExtent = .whole) -> [UInt8] {
        var text = ByteText(capacity: 1_152 + job.detail.sizeEstimate + job.metadata.count)
        text.put(#"{"specversion":"1.0","id":""#)
        text.put(job.id)
        text.put(".")
        text.put(job.revision)
        text.put(#"","source":"/v1/jobs/"#)
        text.put(job.id)
        text.put(#"","type":"jobserver.job."#)
        text.put(job.state.rawValue)
        text.put(#"","subject":""#)
        text.put(job.id)
        text.put(#"""#)
        text.put(#","time":"#, job.finishedAt ?? job.createdAt)
        text.put(#","datacontenttype":"application/json","data":"#)
        JobBody.append(job, extent: extent, to: &text)
        text.put("}")
        return text.bytes
    }
}
