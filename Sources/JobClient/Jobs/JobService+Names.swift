internal import Commands
internal import JobKit
internal import StrictJSON

extension JobService {
    /// The id of the job that a word names: the whole id, its beginning with or without `job_`, or `-` for the last
    /// job that this user submitted.
    /// - Throws: `.failure` when no job or several begin so.
    func id(of word: String) async throws(CommandFailure) -> String {
        if word == "-" {
            guard let id = last?.id else {
                throw CommandFailure(
                    code: .failure,
                    text:
                        "There is no last job at \(address.url) that was submitted from here. Say which: job_…"
                )
            }
            return id
        }
        if JobID(word) != nil { return word }
        let prefix = word.utf8.starts(with: Self.prefix.utf8) ? word : Self.prefix + word
        let question = [
            ServerPaths.parameter(ServerPaths.Parameter.idPrefix, prefix),
            ServerPaths.parameter(ServerPaths.Parameter.pageSize, "\(Self.shownMax + 1)"),
        ]
        let answer = try await connection.send(
            ServerRequest("\(ServerPaths.jobs)?" + question.joined(separator: "&")))
        // A text that begins no id at all is refused as a query.
        guard answer.isSuccess || answer.status == 400 else { throw answer.failure(address) }
        let items = answer.isSuccess ? try answer.json(address).object?["items"]?.array : nil
        let found = (items ?? []).map { JobFacts($0) }
        guard let first = found.first else {
            throw CommandFailure(
                code: .failure, text: "No job at \(address.url) has an id that begins with \(prefix).")
        }
        guard found.count > 1 else { return first.id }
        let shown = found.prefix(Self.shownMax).map { "\n  \($0.id) \($0.state) \($0.name.onOneLine)" }
        let more = found.count > Self.shownMax ? "\n  …" : ""
        throw CommandFailure(
            code: .failure, text: "Several jobs begin with \(prefix):" + shown.joined() + more)
    }

    /// The beginning of all ids of jobs.
    private static let prefix = "job_"
    /// The number of jobs that are listed when several are meant.
    private static let shownMax = 5

    /// Remembers a job that was submitted as the last one.
    func remember(_ job: JobFacts) { last?.remember(job.id) }
}
