import HTTPMessage
import JobKit
import JobStore

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
            var text = ByteText(capacity: 1_024 * (page.jobs.count + 1))
            text.put(#"{"items":["#)
            for (index, job) in page.jobs.enumerated() {
                if index > 0 { text.put(",") }
                JobBody.append(job, base: context.base, to: &text)
            }
            text.put("]")
            var fields = HTTPFields()
            if page.hasMore, let last = page.jobs.last {
                let token = PageToken(after: last.id, filters: filter.digest).text
                text.put(#","next_page_token":"#)
                text.put(quoted: token)
                fields.add("Link", "<\(context.base)\(filter.nextURL(token: token))>; rel=\"next\"")
            }
            text.put("}\n")
            context.answer(.ok, fields, json: text.bytes)
        }
    }
}
