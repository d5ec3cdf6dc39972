import HTTPMessage
import Testing

@testable import JobServer

@Suite struct `An operation that will go` {
    @Test func `says since when, until when, and what takes its place`() throws {
        let deprecation = Deprecation(
            since: HTTPDate(secondsSince1970: 1_796_083_200),
            sunset: HTTPDate(secondsSince1970: 1_827_619_200), successor: "/v1/queues")
        let route = Route(.get, "/v1/lines", scope: .read, deprecation: deprecation) { _ in }
        var fields = HTTPFields()
        try #require(route.deprecation).mark(&fields, base: "/jobs")
        #expect(fields["deprecation"] == "@1796083200")
        #expect(fields["sunset"] == "Wed, 01 Dec 2027 00:00:00 GMT")
        #expect(fields["link"] == "</jobs/v1/queues>; rel=\"successor-version\"")
    }

    @Test func `is counted at each request, and told of once for each caller`() {
        let uses = DeprecatedUses()
        let told = ["ada", "ada", "bob", "ada"].map { uses.add("GET /v1/lines", by: $0) }
        #expect(told == [true, false, true, false])
        #expect(uses.add("PUT /v1/lines", by: "ada"))
        #expect(uses.count == 5)
    }

    @Test func `is told of for a bounded number of callers`() {
        let uses = DeprecatedUses()
        let told = (0..<2_000).filter { uses.add("GET /v1/lines", by: "token-\($0)") }
        #expect(told.count == 1_000 && uses.count == 2_000)
    }

    @Test func `is announced at least twelve months before`() {
        for route in RouteTable.routes {
            guard let deprecation = route.deprecation else { continue }
            let seconds = deprecation.sunset.secondsSince1970 - deprecation.since.secondsSince1970
            #expect(seconds >= 365 * 86_400, "\(route.pattern.text)")
        }
    }
}
