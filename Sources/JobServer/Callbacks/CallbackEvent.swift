import JobKit
import JobStore

/// What is told of the end of a job: a CloudEvent in JSON,
/// https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
enum CallbackEvent {
    /// The event: `{specversion, id, source, type, subject, time, datacontenttype, data}`. `data` is the job as
    /// `GET /v1/jobs/{id}` shows it. The id is the same for all who are told of this end, and no other end has it.
    static func text(_ job: JobRecord) -> String {
        var text = ByteText(capacity: 1_152 + job.detail.count + job.metadata.count)
        let id = job.id.utf8
        text.put(#"{"specversion":"1.0","id":""#)
        text.put(id)
        text.put(".")
        text.put(job.revision)
        text.put(#"","source":"/v1/jobs/"#)
        text.put(id)
        text.put(#"","type":"jobserver.job."#)
        text.put(job.state.rawValue)
        text.put(#"","subject":""#)
        text.put(id)
        text.put(#"""#)
        text.put(#","time":"#, job.finishedAt ?? job.createdAt)
        text.put(#","datacontenttype":"application/json","data":"#)
        JobBody.append(job, to: &text)
        text.put("}")
        return String(decoding: text.bytes, as: UTF8.self)
    }
}
