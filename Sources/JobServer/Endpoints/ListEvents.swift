import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/events`: everything that happened to a job, in order, in pages.
enum ListEvents {
    /// How many events a page has unless asked otherwise.
    static let pageSizeDefault: Int64 = 100
    /// The largest page; larger wishes are cut.
    static let pageSizeMax: Int64 = 500

    /// Shows the events behind `?after=`, a sequence number.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let after = query.number("after", from: 0, to: .max) ?? 0
        let size = query.number("page_size", from: 1, to: pageSizeMax) ?? pageSizeDefault
        try query.finish()
        let job = try context.job()
        try context.onReaderThread { reader throws(Problem) in
            let entries: [NumberedEntry]
            do throws(JobStoreError) {
                entries = try reader.journal(job.id, after: after, limit: Int(size) + 1)
            } catch {
                throw Problem(error)
            }
            let page = entries.prefix(Int(size))
            var json = JSONWriter(capacity: 256 * (page.count + 1))
            json.beginObject()
            json.name("items")
            json.beginArray()
            for entry in page { EventBody.append(entry, rootName: job.name, to: &json) }
            json.endArray()
            json.member("next_after", page.last?.sequence ?? after)
            json.member("has_more", entries.count > page.count)
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }
}
