import JobKit
import Testing

@Suite struct `An answer that points elsewhere and is not followed` {
    @Test(arguments: [
        (302, "/x", "Set request.redirects"), (308, "/x", "Set request.redirects"),
        (302, nil, "without a Location"), (304, nil, "Nothing has changed"),
        (304, "/x", "Nothing has changed"),
        (300, nil, "several to choose from"), (300, "/x", "upstream.headers.location"),
        (305, "/x", "No redirect that can be followed"),
    ])
    func `has a remedy`(status: Int, location: String?, advice: String) async throws {
        let run = SpecRun(fields: { _ in location.map { [("Location", $0)] } ?? [] }) { _, _ in (status, "{}")
        }
        let error = try await run.ending(#"{"type":"network","request":"https://a.example/"}"#).errors.first
        #expect(error?.code == .httpStatus)
        #expect(error?.detail.contains(advice) == true, "\(error?.detail ?? "")")
        let mentions = error?.detail.contains("Set request.redirects") == true
        #expect(mentions == advice.hasPrefix("Set"))
    }
}
