import JobKit
import Testing

@Suite struct `A duration text` {
    @Test(arguments: [
        ("PT0S", 0), ("PT1H30M", 5_400_000), ("P1D", 86_400_000), ("P1DT1S", 86_401_000),
        ("P2W", 1_209_600_000),
        ("PT0.25S", 250), ("PT36H", 129_600_000), ("90s", 90_000), ("5m", 300_000), ("2h", 7_200_000),
        ("1d", 86_400_000), ("250ms", 250), ("1h30m", 5_400_000), ("1.5s", 1_500),
        ("1w2d3h4m5s6ms", 788_645_006),
        ("0s", 0), ("PT90M", 5_400_000),
    ])
    func `has this number of milliseconds`(text: String, milliseconds: Int) throws {
        #expect(try DurationText.parse(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        ("0s", 0), ("1ms", 1), ("1.5s", 1_500), ("1m", 60_000), ("1h0.01s", 3_600_010),
        ("1d", 86_400_000), ("1d2h3m4s", 93_784_000), ("-5s", -5_000), ("-250ms", -250),
    ])
    func `is written as numbers with units`(text: String, milliseconds: Int) {
        #expect(DurationText.text(.milliseconds(milliseconds)) == text)
    }

    @Test func `reads back what it writes, to the nanosecond`() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let seconds = Int64.random(in: 0...1_000_000_000, using: &generator) >> Int64.random(in: 0...30)
            let duration = Duration.seconds(seconds) + .nanoseconds(Int64.random(in: 0...999_999_999))
            #expect(try DurationText.parse(DurationText.text(duration)) == duration)
        }
    }

    @Test(arguments: [
        ("90 seconds", "90s"), ("90", "90s"), ("5min", "5m"), ("5 minutes", "5m"), ("2 hours", "2h"),
        ("1 day", "1d"), ("250 msec", "250ms"), ("1H30M", "1h30m"), ("pt5m", "5m"), ("1.5 sec", "1.5s"),
        ("P1H", "1h"),
    ])
    func `suggests the correct form`(text: String, suggestion: String) {
        let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
        #expect(error?.suggestion == suggestion)
        #expect(error?.detail.contains("PT1H30M") == true)
    }

    @Test(arguments: [
        "", "s", "P", "PT", "1.5h", "30m1h", "5s5s", "-5s", "PT-5S", "5x", "1.s", ".5s",
        "PT1.1234567890S", "five minutes",
    ])
    func `is refused without a guess when nothing is clear`(text: String) {
        let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
        #expect(error?.suggestion == nil)
    }

    @Test func `refuses years and months, whose length varies`() {
        for text in ["P1Y", "P3M"] {
            let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
            #expect(error?.detail.contains("no fixed length") == true)
        }
    }

    @Test func `refuses more than a thousand years instead of overflowing`() {
        for text in ["99999999999999999999999s", "9223372036854775807w", "PT9999999999999H"] {
            let error = #expect(throws: DurationTextError.self) { try DurationText.parse(text) }
            #expect(error?.detail.contains("thousand years") == true)
        }
    }
}
