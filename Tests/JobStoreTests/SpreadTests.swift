import JobKit
@testable import JobStore
import StrictJSON
import Testing

@Suite struct `A spread of durations` {
    @Test func `estimates percentiles to within a 32nd`() {
        var generator = SystemRandomNumberGenerator()
        for most in [20, 500, 90_000, 4_000_000_000] as [Int64] {
            var spread = Spread()
            let values = (0..<999).map { _ in Int64.random(in: 0...most, using: &generator) }
            for value in values { spread.note(value) }
            for share in [1, 500, 950, 990, 1_000] as [Int64] {
                let exact = values.sorted()[Int((999 * share + 999) / 1_000) - 1]
                let estimate = spread.percentile(share) ?? -1
                #expect(abs(estimate - exact) * 32 <= exact, "\(estimate) for \(exact)")
            }
        }
    }

    @Test func `has short durations as they are`() {
        for value in 0...31 as ClosedRange<Int64> {
            #expect(Spread.middle(of: Spread.place(of: value)) == value)
        }
    }

    @Test func `adds up, in memory and stored`() {
        var (whole, left, right) = (Spread(), Spread(), Spread())
        for value in [0, 3, 3, 70, 70, 9_000, .max] as [Int64] {
            whole.note(value)
            if value % 2 == 0 { left.note(value) } else { right.note(value) }
        }
        left.add(right)
        #expect(left == whole)
        var bytes: [UInt8] = []
        whole.append(to: &bytes)
        var reader = StatsReader(bytes)
        #expect(Spread(&reader) == whole)
        #expect(whole.count == 7)
        #expect(Spread().percentile(500) == nil)
    }
}

@Suite struct `A bin of statistics` {
    private func end(_ name: String, _ second: Int64 = 0) -> EndFacts {
        EndFacts(
            id: .made(at: .noon), at: .noon(second), state: .failed, queue: "default", name: name,
            code: "http.status", host: "api.example.com")
    }

    @Test func `keeps the names with the most ends, and counts the others together`() {
        let ends = (0..<150).flatMap { number in (0..<(number < 5 ? 10 : 1)).map { _ in end("n\(number)") } }
        let bins = StatsTally(ends).bins(at: .noon(60))
        let key = StatsKey(step: .minute, facet: .name, tenant: "", at: StatsStep.minute.start(of: .noon))
        var bin = bins[key] ?? StatsBin()
        #expect(bin.groups.count == 150)
        bin.keep(StatsBin.sealedMax)
        #expect(bin.groups.count == StatsBin.sealedMax)
        #expect(bin.ordered.prefix(5).allSatisfy { $0.value.count == 10 })
        #expect(bin.rest.count + bin.groups.values.reduce(0) { $0 + $1.count } == 195)
        #expect(StatsBin(decoding: bin.encoded()) == bin)
    }

    @Test func `has the newest ten jobs of a failure, and when it was seen`() {
        let ends = (0..<30).map { end("report", $0) }
        let bins = StatsTally(ends).bins(at: .noon(60))
        let key = StatsKey(
            step: .day, facet: .failure, tenant: "", at: StatsStep.day.start(of: .noon))
        let failure = FailureKey(code: "http.status", host: "api.example.com", name: "report")
        let group = bins[key]?.ordered.first
        #expect(group?.key.text == failure.text)
        #expect(FailureKey(failure.text) == failure)
        #expect(group?.value.jobs == ends.reversed().prefix(10).map(\.id))
        #expect(group?.value.firstAt == .noon && group?.value.lastAt == .noon(29))
    }

    @Test func `counts only in steps that are kept`() {
        let old = StatsTally([end("old")]).bins(at: .noon(3 * 86_400))
        #expect(Set(old.keys.map(\.step)) == [.hour, .day])
    }

    @Test func `holds ends with all their facts, stored or not`() {
        var first = end("ü\u{0}\n")
        (first.startDelay, first.duration) = (3, 70_000)
        var second = EndFacts(
            id: JobID(high: 0, low: 0), at: .noon, state: .succeeded, queue: "acme/mail", name: "a")
        (second.startDelay, second.duration) = (0, 1)
        #expect(EndFacts.decoded(EndFacts.encoded([first, first, second])) == [first, first, second])
        let damaged = [UInt8](repeating: 0xFF, count: 9) + [1, 2, 3]
        #expect(EndFacts.decoded(damaged).count == 1)
        #expect(StatsBin(decoding: [1] + damaged).groups.count <= 1)
    }
}

@Suite struct `The host of a call` {
    @Test(arguments: [
        ("https://API.example.com/v2/x", "api.example.com"),
        ("https://api.example.com:443/", "api.example.com"),
        ("http://127.0.0.1:8080/x?y", "127.0.0.1:8080"), ("https://[::1]:80?q", "[::1]:80"),
        ("http://host:80", "host"),
    ])
    func `is in lower case, with a port that is not the usual one`(_ url: String, _ host: String) {
        #expect(JobDetail.Call.host(of: url) == host)
    }

    @Test func `is missing where there is no URL`() {
        for text in ["", "api.example.com", "mailto:x", "https:///x"] {
            #expect(JobDetail.Call.host(of: text) == nil)
        }
    }

    @Test func `comes without the query, which may have credentials`() {
        #expect(JobDetail.Call(method: "GET", url: "https://a/b?key=1#c").url == "https://a/b")
    }
}
