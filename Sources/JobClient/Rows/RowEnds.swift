internal import Commands
internal import FoundationEssentials
internal import HTTPMessage
internal import JobKit
internal import StrictJSON

// DESIGN
// A request for each of a million jobs would take an hour. The list of ended jobs in the order of their ends is read
// instead, from the time of the first submission on, and each page once. A job of another server may appear late there,
// so the last seconds are read again; what has still not been seen after a while is asked for by its id.

/// The jobs of many rows until they have ended.
struct RowEnds {
    private let service: JobService
    /// The lines of the jobs that have not ended.
    private var open: [JobID: Int] = [:]
    /// The time from which on ends are looked for.
    private var since: Timestamp?
    private var first: Timestamp?
    private var idle = Idle()
    private(set) var count = 0
    private(set) var succeeded = 0

    /// The rounds in which no job has ended.
    private struct Idle {
        var since = ContinuousClock.now
        /// The jobs that were asked for by their ids.
        var asked = 0
    }

    /// A job that has ended.
    struct End {
        let line: Int
        let job: JobFacts
    }

    private static let pageSize = 500
    /// The time for which an end may appear late in the list.
    private static let overlap = Duration.seconds(5)
    /// The time by which clocks of servers may differ.
    private static let skew = Duration.seconds(60)
    private static let idleMax = Duration.seconds(30)
    private static let askedAtOnce = 50

    init(_ service: JobService) { self.service = service }

    /// The jobs that have not ended.
    var openCount: Int { open.count }
    var endedCount: Int { count - open.count }

    /// Adds the job of a row. Jobs that were removed after their end are passed over.
    /// - Parameter date: the time of the server; that of this machine is taken when it is unknown.
    /// - Returns: its end, if it has ended.
    mutating func add(_ outcome: RowOutcome, at date: HTTPDate?) -> End? {
        guard let job = outcome.job, let id = JobID(job.id), open[id] == nil else { return nil }
        if first == nil {
            let seconds = date?.secondsSince1970 ?? Int64(Date.now.timeIntervalSince1970)
            first = Timestamp(milliseconds: seconds * 1_000).advanced(by: .zero - Self.skew)
            since = first
        }
        count += 1
        open[id] = outcome.line
        return job.isDone ? settled(job) : nil
    }

    private mutating func settled(_ job: JobFacts) -> End? {
        guard let id = JobID(job.id), let line = open.removeValue(forKey: id) else { return nil }
        if job.hasSucceeded { succeeded += 1 }
        return End(line: line, job: job)
    }

    /// Looks once for jobs that have ended.
    /// - Parameter deadline: the time after which no further page is read.
    mutating func look(by deadline: ContinuousClock.Instant?) async throws(CommandFailure) -> [End] {
        var ends: [End] = []
        var latest: Timestamp?
        var token: String?
        repeat {
            var path = "/v1/jobs?order_by=finished_at&page_size=\(Self.pageSize)"
            if let since { path += "&finished_from=\(since)" }
            if let token { path += "&page_token=\(PercentCoding.encode(token, for: .queryPart))" }
            let answer = try await service.connection.read(ServerRequest(path))
            let page = try answer.json(service.address).object
            for item in page?["items"]?.array ?? [] {
                let job = JobFacts(item)
                if let time = job.finished.flatMap({ Timestamp($0) }) { latest = time }
                if let end = settled(job) { ends.append(end) }
            }
            token = page?["next_page_token"]?.string
        } while token != nil && !open.isEmpty && deadline.map { .now < $0 } ?? true
        if let latest { since = latest.advanced(by: .zero - Self.overlap) }
        if ends.isEmpty, idle.since + Self.idleMax < .now { ends += try await asked() }
        if !ends.isEmpty { idle = Idle() }
        return ends
    }

    /// Asks for some of the jobs by their ids, others each time, and reads the list from its beginning again.
    private mutating func asked() async throws(CommandFailure) -> [End] {
        let places = open.keys.dropFirst(idle.asked % max(1, open.count)).prefix(Self.askedAtOnce)
        var ends: [End] = []
        for id in Array(places) {
            let answer = try await service.connection.send(ServerRequest(JobService.path(id.description)))
            if answer.status == 404 || answer.status == 410 {
                let gone = JSONObject([
                    ("id", .string(id.description)), ("state", "removed before its end was seen"),
                ])
                settled(JobFacts(.object(gone))).map { ends.append($0) }
                continue
            }
            guard answer.isSuccess else { throw answer.failure(service.address) }
            let job = JobFacts(try answer.json(service.address))
            if job.isDone, let end = settled(job) { ends.append(end) }
        }
        let next = idle.asked + Self.askedAtOnce
        idle = Idle()
        idle.asked = next
        since = first
        return ends
    }
}
