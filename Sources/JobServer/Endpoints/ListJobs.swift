import HTTPMessage
import JobStore

/// `GET /v1/jobs`: pages of summaries of the jobs that match filters; with `view=full` all but long errors. Read off
/// the loop.
enum ListJobs {
    static func handle(_ context: RequestContext) throws(Problem) {
        let filter = try ListFilter(context.query)
        try context.onReaderThread { reader throws(Problem) in
            let page = try stored(reader.list(filter.query))
            var next = page.next
            var text = ByteText(capacity: min(1_024 * (page.jobs.count + 1), PageDraft.bytesMax))
            text.put(#"{"items":["#)
            for (index, job) in page.jobs.enumerated() {
                if index > 0 {
                    if text.bytes.count >= PageDraft.bytesMax {
                        next = filter.query.place(of: page.jobs[index - 1])
                        break
                    }
                    text.put(",")
                }
                JobBody.append(job, base: context.base, extent: filter.isFull ? .listed : .summary, to: &text)
            }
            text.put("]")
            var fields = HTTPFields()
            if let next {
                let token = filter.token(behind: next)
                text.put(#","next_page_token":"#)
                text.put(quoted: token)
                filter.page.addLink(to: &fields, token: token, base: context.base)
            }
            text.put("}\n")
            context.answer(.ok, fields, json: text.bytes)
        }
    }
}
