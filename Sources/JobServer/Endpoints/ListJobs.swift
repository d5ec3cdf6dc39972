import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs`: pages of jobs that match filters. Read off the loop.
enum ListJobs {
    /// How many jobs a page has unless asked otherwise.
    static let pageSizeDefault: Int64 = 50
    /// The largest page; larger wishes are cut.
    static let pageSizeMax: Int64 = 500

    /// Shows one page.
    static func handle(_ context: RequestContext) throws(Problem) {
        let filter = try ListFilter(context.query)
        try context.onReaderThread { reader throws(Problem) in
            let page: JobPage
            do throws(JobStoreError) { page = try reader.list(filter.query) } catch { throw Problem(error) }
            let now = SystemTime.now()
            var json = JSONWriter(capacity: 1_024 * (page.jobs.count + 1))
            json.beginObject()
            json.name("items")
            json.beginArray()
            for job in page.jobs { JobBody.append(job, now: now, to: &json) }
            json.endArray()
            var fields = HTTPFields()
            if page.hasMore, let last = page.jobs.last {
                let token = PageToken(after: last.id, filters: filter.digest).text
                json.member("next_page_token", token)
                fields.add("Link", "<\(filter.nextURL(token: token))>; rel=\"next\"")
            }
            json.endObject()
            context.answer(.ok, fields, json: json.line())
        }
    }
}
