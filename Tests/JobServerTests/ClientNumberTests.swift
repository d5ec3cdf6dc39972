@testable import JobClient
import Testing

@Suite struct `Numbers of a hostile server` {
    @Test(arguments: [
        (Int.max, Int.max, "100%"), (Int.max, 1, "100%"), (1, Int.max, "0%"), (Int.min, Int.min, "0%"),
        (1, 4, "25%"),
    ])
    func `make a bar`(done: Int, total: Int, percent: String) {
        #expect(ProgressLine.bar(done: done, of: total).hasSuffix(" \(percent)"))
    }

    @Test(arguments: [
        (1e300, "0.000000"), (-.infinity, "0.000000"), (.nan, "0.000000"), (-5, "0.000000"),
        (1_234.5678, "1.234568"),
    ])
    func `make a time`(milliseconds: Double, text: String) {
        #expect(CurlReport.seconds(ofMilliseconds: milliseconds) == text)
    }
}
