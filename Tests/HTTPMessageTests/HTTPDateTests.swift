import HTTPMessage
import Testing

@Suite struct `An HTTP date` {
    private static let example: Int64 = 784_111_777

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `is read in the three forms of RFC 9110`(text: String) {
        #expect(HTTPDate(text)?.secondsSince1970 == Self.example)
    }

    @Test func `is written as IMF-fixdate`() {
        #expect(HTTPDate(secondsSince1970: Self.example).description == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate(secondsSince1970: 0).description == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate(secondsSince1970: -1).description == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate(secondsSince1970: 951_782_400).description == "Tue, 29 Feb 2000 00:00:00 GMT")
        #expect(HTTPDate(secondsSince1970: .max).description == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate(secondsSince1970: .min).description == "Sat, 01 Jan 0000 00:00:00 GMT")
    }

    @Test func `comes back from its text`() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2000 {
            let date = HTTPDate(
                secondsSince1970: .random(in: -62_167_219_200...253_402_300_799, using: &random))
            #expect(HTTPDate(date.description) == date)
            #expect(date.description.utf8.count == 29)
        }
    }

    @Test(arguments: [
        "", "Sun, 06 Nov 1994 08:49:37", "Mon, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "sun, 06 nov 1994 08:49:37 gmt", "Thu, 30 Feb 2023 00:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 06 08:49:37 94",
        "1994-11-06T08:49:37Z", "784111777", "Sun, 06 Nov +994 08:49:37 GMT",
    ])
    func `is not made from anything else`(text: String) {
        #expect(HTTPDate(text) == nil)
    }

    @Test func `puts a two-digit year more than 50 years ahead into the past`() {
        let now = HTTPDate(secondsSince1970: 1_795_219_200)  // November 2026
        #expect(HTTPDate("Sunday, 06-Nov-94 08:49:37 GMT", now: now)?.secondsSince1970 == Self.example)
        #expect(HTTPDate("Friday, 06-Nov-76 00:00:00 GMT", now: now)?.description.contains("2076") == true)
        #expect(HTTPDate("Sunday, 06-Nov-77 00:00:00 GMT", now: now)?.description.contains("1977") == true)
    }

    @Test func `takes a leap second as the second before`() {
        #expect(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate("Sat, 31 Dec 2016 23:59:59 GMT"))
    }
}

@Suite struct `A Retry-After value` {
    @Test func `is a number of seconds or a date`() {
        let now = HTTPDate(secondsSince1970: 784_111_777)
        #expect(RetryAfter("120") == .seconds(120))
        #expect(RetryAfter("120")?.delay(from: now) == .seconds(120))
        #expect(RetryAfter("Sun, 06 Nov 1994 08:50:37 GMT")?.delay(from: now) == .seconds(60))
        #expect(RetryAfter("Sun, 06 Nov 1994 08:48:37 GMT")?.delay(from: now) == .zero)
        #expect(RetryAfter("999999999999999999999999") == .seconds(999_999_999))
        #expect(RetryAfter("0007") == .seconds(7))
        #expect(RetryAfter.seconds(5).description == "5")
    }

    @Test(arguments: ["", "-1", "+1", "1.5", " 1", "soon", "1s", "٣"])
    func `is not made from anything else`(text: String) {
        #expect(RetryAfter(text) == nil)
    }
}
