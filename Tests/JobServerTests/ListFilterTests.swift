import JobKit
@testable import JobServer
import JobSpec
import JobStore
import Testing

@Suite struct `A list filter` {
    private func filter(_ parameters: (String, String)...) throws -> ListFilter {
        try ListFilter(QueryReader(parameters.map { (name: $0.0, value: $0.1) }))
    }

    private func problem(_ parameters: (String, String)...) -> Problem? {
        do throws(Problem) {
            _ = try ListFilter(QueryReader(parameters.map { (name: $0.0, value: $0.1) }))
            return nil
        } catch { return error }
    }

    @Test func `shows the newest 50 of everything by default`() throws {
        var whole = JobListQuery()
        whole.bytesMax = PageDraft.bytesMax
        #expect(try filter().query == whole)
    }

    @Test func `understands every parameter`() throws {
        let query = try filter(
            ("state", "failed,retrying"), ("type", "network"), ("queue", "mail"), ("name", "n"),
            ("label.customer", "c-42"), ("created_from", "2026-01-01T00:00:00Z"),
            ("created_to", "2026-02-01T00:00:00Z"), ("order_by", "created_at"), ("page_size", "7")
        ).query
        #expect(query.states == [.failed, .retrying])
        #expect(query.type == "network")
        #expect(query.queue == "mail")
        #expect(query.name == "n")
        #expect(query.labels == [JobSpec.Label(key: "customer", value: "c-42")])
        #expect(query.createdFrom == Timestamp("2026-01-01T00:00:00Z"))
        #expect(query.createdBefore == Timestamp("2026-02-01T00:00:00.001Z"))
        #expect(query.ascending)
        #expect(query.limit == 7)
    }

    @Test func `reads a list of states in one parameter or in several`() throws {
        let filter = try filter(("state", "failed"), ("type", "delay"), ("state", "queued,retrying"))
        #expect(filter.query.states == [.failed, .queued, .retrying])
        #expect(problem(("state", "failed"), ("state", ""))?.items.first?.place == .parameter("state"))
        #expect(problem(("name", "a"), ("name", "b"))?.items.first?.code == "query.repeated")
    }

    @Test func `ends the sentence about a wrong time with one full stop`() throws {
        let detail = try #require(problem(("created_from", "2026-01-01T00:00:00+0000"))?.detail)
        #expect(detail.hasSuffix("."))
        #expect(!detail.hasSuffix(".."), "\(detail)")
    }

    @Test func `understands beginnings, keys, schedules and errors`() throws {
        let query = try filter(
            ("name_prefix", "imp"), ("id_prefix", "job_01k9"), ("queue_key", "c-42"), ("schedule", "nightly"),
            ("error.code", "http.status")
        ).query
        #expect(query.namePrefix == "imp")
        #expect(query.ids?.lowerBound == JobID("job_01k90000000000000000000000"))
        #expect(query.ids?.upperBound == JobID("job_01k9zzzzzzzzzzzzzzzzzzzzzz"))
        #expect(query.queueKey == "c-42")
        #expect(query.labels == [JobSpec.Label(key: "schedule", value: "nightly")])
        #expect(query.errorCode == "http.status")
        for wrong in ["job_", "jab_01", "job_01k90000000000000000000000a", "job_u", "job_9"] {
            #expect(problem(("id_prefix", wrong))?.items.first?.place == .parameter("id_prefix"), "\(wrong)")
        }
    }

    @Test func `understands the call that failed a job`() throws {
        let query = try filter(("host", "API.example.com:81"), ("method", "POST"), ("status", "503")).query
        #expect(query.call.host == "api.example.com:81")
        #expect(query.call.method == "POST" && query.call.status == 503)
        let prefix = try filter(("url_prefix", "https://api.example.com/v2/")).query
        #expect(prefix.call.urlPrefix == "https://api.example.com/v2/")
        #expect(prefix.call.host == "api.example.com")
        #expect(try filter(("host", "")).query.call.host == "")
        for (name, value) in [("status", "5"), ("status", "many"), ("url_prefix", "api.example.com")] {
            #expect(problem((name, value))?.items.first?.place == .parameter(name), "\(value)")
        }
        let other = problem(("url_prefix", "https://a/"), ("host", "b"))
        #expect(other?.items.first?.suggestion == "a")
    }

    @Test func `cuts a page size that is too large`() throws {
        #expect(try filter(("page_size", "9999")).query.limit == 500)
        #expect(try filter(("page_size", "99999999999999999999")).query.limit == 500)
    }

    @Test func `reports all mistakes at once, with suggestions`() {
        let problem = problem(
            ("stat", "failed"), ("state", "faild"), ("page_size", "0"), ("created_from", "now"))
        #expect(problem?.kind == .invalidQuery)
        let items = problem?.items ?? []
        #expect(Set(items.map(\.place.text)) == ["stat", "state", "page_size", "created_from"])
        #expect(items.first { $0.place.text == "stat" }?.suggestion == "state")
        #expect(items.first { $0.place.text == "state" }?.suggestion == "failed")
    }

    @Test(arguments: [
        ("created_after", "2026-01-01T00:00:00Z", "created_from"), ("limit", "3", "page_size"),
        ("cursor", "x", "page_token"), ("status", "failed", "state"), ("key", "c-42", "queue_key"),
        ("state", "paused", "held"), ("state", "completed", "succeeded"),
        ("waiting_on.kind", "mutex", "lock"),
        ("tag", "a", "label."), ("call.method", "GET", "method"), ("order_by", "creatd_at", "created_at"),
    ])
    func `is led from a word of another API to ours`(name: String, value: String, ours: String) {
        let items = problem((name, value))?.items ?? []
        #expect(items.map(\.place.text) == [name])
        #expect(items.first?.suggestion == ours)
    }

    @Test(arguments: [[("queue", "a"), ("queue", "b")], [("label.", "x")], [("order_by", "name")]])
    func `refuses invalid filters`(parameters: [(String, String)]) {
        #expect(throws: Problem.self) {
            try ListFilter(QueryReader(parameters.map { (name: $0.0, value: $0.1) }))
        }
    }

    @Test func `names at most a hundred mistakes, and as many labels as a job may have`() throws {
        let words = (0..<5_000).map { "quued\($0)" }.joined(separator: ",")
        #expect(problem(("state", words))?.items.count == 100)
        let names = (0..<5_000).map { (name: "unknown\($0)", value: "") }
        #expect(throws: Problem.self) { try ListFilter(QueryReader(names)) }
        let labels = (0..<33).map { (name: "label.k\($0)", value: "v") }
        #expect(try ListFilter(QueryReader(Array(labels.dropLast()))).query.labels.count == 32)
        do throws(Problem) {
            _ = try ListFilter(QueryReader(labels))
            Issue.record("it was accepted")
        } catch {
            #expect(error.detail == "a job has at most 32 labels; the filter names 33.")
        }
    }

    @Test func `continues after a job with the page token`() throws {
        let id = JobID(high: 0x0123_4567_89AB_7DEF, low: 0x8FED_CBA9_8765_4321)
        let first = try filter(("queue", "mail"), ("label.a", "1"))
        let token = first.page.token(behind: [id.high, id.low].flatMap(PageToken.bytes))
        let second = try filter(
            ("label.a", "1"), ("queue", "mail"), ("page_token", token), ("page_size", "3"))
        #expect(second.query.after == id)
        #expect(problem(("queue", "post"), ("page_token", token))?.kind == .invalidPageToken)
        #expect(problem(("page_token", "p1_00"))?.kind == .invalidPageToken)
        #expect(
            second.page.nextURL(token: "t") == "/v1/jobs?queue=mail&label.a=1&page_size=3&page_token=t")
    }

    @Test func `of a time in which jobs ended lists them in the order of their ends`() throws {
        let asked = try filter(("finished_from", "2026-01-01T00:00:00Z"), ("state", "failed"))
        #expect(asked.query.isByFinish && !asked.query.ascending)
        #expect(asked.query.finishedFrom == Timestamp("2026-01-01T00:00:00Z"))
        let time = try #require(Timestamp("2026-01-02T00:00:00Z"))
        let place = [1, 2, UInt64(time.milliseconds)].flatMap(PageToken.bytes)
        let next = try filter(
            ("finished_from", "2026-01-01T00:00:00Z"), ("state", "failed"),
            ("page_token", asked.page.token(behind: place)))
        #expect(next.query.after == JobID(high: 1, low: 2))
        #expect(next.query.afterFinish == time)
        #expect(try filter(("order_by", "finished_at")).query.ascending)
        let mixed = problem(("finished_to", "2026-01-01T00:00:00Z"), ("order_by", "created_at"))
        #expect(mixed?.items.first?.suggestion == "-finished_at")
    }

    @Test func `encodes the values in a link`() throws {
        let filter = try filter(("label.a", "x y&z"))
        #expect(filter.page.nextURL(token: "t").hasPrefix("/v1/jobs?label.a=x%20y%26z&"))
    }
}
