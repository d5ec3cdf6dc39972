import Testing

@testable import JobKit

/// Seconds since 1970 of an RFC 3339 time.
private func seconds(_ text: String) throws -> Int64 { try Timestamp.parse(text).milliseconds / 1_000 }

@Suite struct `A time zone` {
    private func rules(_ name: String) throws -> ZoneRules { try #require(SystemZones.rules(named: name)) }

    @Test(arguments: [
        ("Europe/Berlin", "2026-01-15T12:00:00Z", 3_600), ("Europe/Berlin", "2026-07-15T12:00:00Z", 7_200),
        ("Europe/Berlin", "2026-03-29T00:59:59Z", 3_600), ("Europe/Berlin", "2026-03-29T01:00:00Z", 7_200),
        ("Europe/Berlin", "2026-10-25T00:59:59Z", 7_200), ("Europe/Berlin", "2026-10-25T01:00:00Z", 3_600),
        ("America/New_York", "2026-03-08T06:59:59Z", -18_000),
        ("America/New_York", "2026-03-08T07:00:00Z", -14_400),
        ("Australia/Lord_Howe", "2026-01-15T00:00:00Z", 39_600),
        ("Australia/Lord_Howe", "2026-07-15T00:00:00Z", 37_800),
        ("Asia/Kolkata", "2026-07-15T00:00:00Z", 19_800), ("UTC", "2026-07-15T00:00:00Z", 0),
        // After the last listed change the yearly rule applies.
        ("Europe/Berlin", "2090-07-15T12:00:00Z", 7_200), ("Europe/Berlin", "2090-12-15T12:00:00Z", 3_600),
        ("Australia/Sydney", "2090-01-15T00:00:00Z", 39_600),
        ("Australia/Sydney", "2090-07-15T00:00:00Z", 36_000),
        ("Europe/Berlin", "1880-01-01T00:00:00Z", 3_208),
    ])
    func `knows how far its clocks are from UTC`(zone: String, moment: String, offset: Int64) throws {
        #expect(try rules(zone).offset(at: seconds(moment)) == offset)
    }

    @Test func `takes the moment of the leap for a time that is leapt over`() throws {
        let moment = try rules("Europe/Berlin").moment(ofLocal: seconds("2026-03-29T02:30:00Z"))
        #expect(moment == (try seconds("2026-03-29T01:00:00Z")))
    }

    @Test func `takes the first moment for a time that comes twice`() throws {
        let moment = try rules("Europe/Berlin").moment(ofLocal: seconds("2026-10-25T02:30:00Z"))
        #expect(moment == (try seconds("2026-10-25T00:30:00Z")))
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01T00:00:00Z", 7_200),
        ("<+03>-3", "2026-07-01T00:00:00Z", 10_800),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-01-01T00:00:00Z", 46_800),
        ("EST5EDT,J60/0,J300/0", "2024-02-29T12:00:00Z", -18_000),
        ("EST5EDT,J60/0,J300/0", "2024-03-01T12:00:00Z", -14_400),
        ("AAA3BBB2:30,59/1,299", "2026-03-02T12:00:00Z", -9_000),
    ])
    func `has a yearly rule in the words of POSIX`(text: String, moment: String, offset: Int64) throws {
        let rule = try #require(YearlyRule(text.utf8))
        #expect(rule.offset(at: try seconds(moment)) == offset)
    }

    @Test(arguments: [
        "", "C", "CET", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "<+03", "CET-200", "CET-1x",
    ])
    func `refuses a malformed rule`(text: String) { #expect(YearlyRule(text.utf8) == nil) }

    @Test func `is not found under a name that leads elsewhere`() {
        for name in ["", "../../etc/passwd", "/etc/passwd", "Europe//Berlin", "Europe/Atlantis", "Europe"] {
            #expect(SystemZones.rules(named: name) == nil, "\(name)")
        }
    }

    @Test func `is not read from a damaged file`() {
        let bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 200)
        #expect(ZoneFile.rules(bytes) == nil)
        #expect(ZoneFile.rules(Array("TZif2".utf8) + [UInt8](repeating: 255, count: 200)) == nil)
        #expect(ZoneFile.rules([]) == nil)
    }
}

@Suite struct `A time window` {
    private func state(_ window: TimeWindow, _ now: String) throws -> TimeWindow.State {
        window.state(at: try Timestamp.parse(now))
    }

    private func opens(_ window: TimeWindow, _ now: String) throws -> String? {
        if case .opens(let date) = try state(window, now) { return date.description }
        return nil
    }

    private let office = TimeWindow(
        zone: "Europe/Berlin", days: [.mon, .tue, .wed, .thu, .fri], from: 8 * 60, to: 18 * 60)

    @Test func `is open from its beginning up to its end`() throws {
        // 2026-11-20 is a Friday; Berlin is one hour ahead.
        #expect(try opens(office, "2026-11-20T06:59:59Z") == "2026-11-20T07:00:00.000Z")
        #expect(try state(office, "2026-11-20T07:00:00Z") == .open)
        #expect(try state(office, "2026-11-20T16:59:59.999Z") == .open)
        #expect(try opens(office, "2026-11-20T17:00:00Z") == "2026-11-23T07:00:00.000Z")
    }

    @Test func `does not open on excepted days`() throws {
        var window = office
        window.exceptions = [try Timestamp.parse("2026-11-23T00:00:00Z").milliseconds / 86_400_000]
        #expect(try opens(window, "2026-11-20T17:00:00Z") == "2026-11-24T07:00:00.000Z")
    }

    @Test func `may go over midnight, and belongs to the day of its beginning`() throws {
        let night = TimeWindow(zone: "Europe/Berlin", days: [.fri], from: 22 * 60, to: 6 * 60)
        #expect(try state(night, "2026-11-20T22:00:00Z") == .open)
        #expect(try state(night, "2026-11-21T04:59:59Z") == .open)
        #expect(try opens(night, "2026-11-21T05:00:00Z") == "2026-11-27T21:00:00.000Z")
    }

    @Test func `opens when the clocks leap over its beginning, and not when over all of it`() throws {
        let early = TimeWindow(zone: "Europe/Berlin", from: 150, to: 300)
        #expect(try opens(early, "2026-03-29T00:00:00Z") == "2026-03-29T01:00:00.000Z")
        let inside = TimeWindow(zone: "Europe/Berlin", from: 135, to: 165)
        #expect(try opens(inside, "2026-03-29T00:00:00Z") == "2026-03-30T00:15:00.000Z")
    }

    @Test func `opens once in the hour that comes twice`() throws {
        let window = TimeWindow(zone: "Europe/Berlin", from: 150, to: 180)
        #expect(try opens(window, "2026-10-25T00:00:00Z") == "2026-10-25T00:30:00.000Z")
        #expect(try state(window, "2026-10-25T00:45:00Z") == .open)
    }

    @Test func `that never opens reports it`() throws {
        #expect(try state(TimeWindow(days: []), "2026-03-29T00:00:00Z") == .closedForLong)
        #expect(try state(TimeWindow(zone: "Europe/Atlantis"), "2026-03-29T00:00:00Z") == .unknownZone)
        #expect(try state(TimeWindow(), "2026-03-29T00:00:00Z") == .open)
    }
}
