import HTTPMessage
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/events`: all events of a job, in order, in pages.
enum ListEvents {
    /// Answers with the events after `?after=`, a sequence number.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let word = query.text("after")
        let after = QueryReader.number(word, "after", from: 0, to: .max, &query) ?? 0
        let id = try context.jobID()
        let wish = try PageWish(
            of: "\(JobPath.text(id))/events", filters: word.map { [("after", $0)] } ?? [], &query)
        let start = max(after, try wish.number())
        let job = try context.job(id)
        try context.onReaderThread { reader throws(Problem) in
            let entries: [NumberedEntry]
            do throws(JobStoreError) {
                entries = try reader.journal(job.id, after: start, limit: wish.size + 1)
            } catch {
                throw Problem(error)
            }
            let page = entries.prefix(wish.size)
            let last = entries.count > page.count ? page.last?.sequence : nil
            wish.answer(
                context, capacity: 256 * (page.count + 1), next: last.map { wish.token(behind: $0) }
            ) { json in
                for entry in page { EventBody.append(entry, rootName: job.name, to: &json) }
            }
        }
    }
}
