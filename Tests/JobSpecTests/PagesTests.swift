import HTTPMessage
import StrictJSON
import Synchronization
import Testing

@testable import JobKit
@testable import JobSpec
import TestOperations

@Suite struct `Pages` {
    private func spec(_ rule: String, request: String = #""https://a.example/orders""#) -> String {
        #"{"type":"pages","name":"orders","request":\#(request),\#(rule)}"#
    }

    private func queries(_ run: SpecRun) -> [String] {
        run.calls.all.map { $0.url.split(separator: "?").dropFirst().first.map(String.init) ?? "" }
    }

    // MARK: From one page to the next

    @Test func `are followed by Link, and their items become one list`() async throws {
        let run = SpecRun(fields: { call in
            switch call.url.split(separator: "=").last {
            case "2":
                [
                    ("Link", #"</orders?p=1>; rel="prev""#),
                    ("Link", #"</o?p=3>; title="a, b"; rel="last next""#),
                ]
            case "3": [("Link", #"</orders?p=1>; rel=first"#)]
            default: [("Link", #"<?p=2>; rel="next""#)]
            }
        }) { _, before in (200, "[\(2 * before),\(2 * before + 1)]") }
        #expect(try await run.value(spec(#""next":"link""#)) == [0, 1, 2, 3, 4, 5])
        #expect(
            run.calls.all.map(\.url) == [
                "https://a.example/orders", "https://a.example/orders?p=2", "https://a.example/o?p=3",
            ])
    }

    @Test(arguments: ["null", #""""#, "-"])
    func `are followed by a URL in the answer until it is absent, null or empty`(end: String) async throws {
        let run = SpecRun { _, before in
            let next = before < 2 ? #""../orders?after=\#(before)""# : end
            return (200, #"{"items":[\#(before)]\#(next == "-" ? "" : #","next":\#(next)"#)}"#)
        }
        let rule = #""next":{"at":"/body/next"},"items":{"at":"/body/items"}"#
        #expect(try await run.value(spec(rule)) == [0, 1, 2])
        #expect(queries(run) == ["", "after=0", "after=1"])
    }

    @Test func `are followed by a cursor in the query, which is encoded, and may be a number`() async throws {
        let run = SpecRun { _, before in
            (200, #"{"items":[\#(before)],"cursor":\#([#""a&b=""#, "12", "null"][before])}"#)
        }
        let rule = #""next":{"cursor":{"at":"/body/cursor"},"query":"cursor"},"items":{"at":"/body/items"}"#
        let request = #"{"url":"https://a.example/orders?x=1","query":{"limit":2,"cursor":"first"}}"#
        #expect(try await run.value(spec(rule, request: request)) == [0, 1, 2])
        #expect(
            queries(run) == [
                "x=1&limit=2&cursor=first", "x=1&limit=2&cursor=a%26b%3D", "x=1&limit=2&cursor=12",
            ])
    }

    @Test func `are followed by a cursor in the content of a POST, of any type`() async throws {
        let run = SpecRun { _, before in
            (200, #"{"items":[\#(before)],"cursor":\#(["[1,\"a\"]", "null"][before])}"#)
        }
        let rule =
            #""next":{"cursor":{"at":"/body/cursor"},"json":"/page/after"},"items":{"at":"/body/items"},"#
            + #""retry":{"unsafe":true}"#
        let request =
            #"{"method":"POST","url":"https://a.example/","json":{"size":2,"page":{"sort":{"$job":"id"}}}}"#
        #expect(try await run.value(spec(rule, request: request)) == [0, 1])
        let bodies = run.calls.all.map { String(decoding: $0.body ?? [], as: UTF8.self) }
        #expect(
            bodies == [
                #"{"size":2,"page":{"sort":"job_test"}}"#,
                #"{"size":2,"page":{"sort":"job_test","after":[1,"a"]}}"#,
            ])
    }

    @Test func `are counted by number or offset until one is empty`() async throws {
        let answer = { @Sendable (_: HTTPCall, before: Int) in (200, before < 2 ? "[\(before)]" : "[]") }
        let numbers = SpecRun { answer($0, $1) }
        #expect(try await numbers.value(spec(#""next":{"page":"p","from":0}"#)) == [0, 1])
        #expect(queries(numbers) == ["p=0", "p=1", "p=2"])
        let offsets = SpecRun { answer($0, $1) }
        #expect(try await offsets.value(spec(#""next":{"offset":"start","by":50}"#)) == [0, 1])
        #expect(queries(offsets) == ["start=0", "start=50", "start=100"])
        let first = SpecRun { _, _ in (200, "[]") }
        #expect(try await first.value(spec(#""next":{"page":"p"}"#)) == [])
        #expect(queries(first) == ["p=1"])
    }

    @Test func `end with the one that satisfies until, whatever it names next`() async throws {
        let run = SpecRun { _, before in
            (
                200,
                #"{"items":[\#(before)],"next":\#(before < 1 ? #""?n=2""# : "false"),"more":\#(before < 1)}"#
            )
        }
        let rule =
            #""next":{"at":"/body/next"},"items":{"at":"/body/items"},"until":{"at":"/body/more","equals":false}"#
        #expect(try await run.value(spec(rule)) == [0, 1])
    }

    @Test func `resolve a URL against the one at which redirects ended`() async throws {
        let run = SpecRun { _, before in
            (200, before == 0 ? #"{"items":[1],"next":"more?n=2"}"# : #"{"items":[2]}"#)
        }
        run.moved.withLock { $0 = "https://b.example/v2/orders/all" }
        let rule = #""next":{"at":"/body/next"},"items":{"at":"/body/items"}"#
        let request = #"{"url":"https://a.example/orders","auth":{"type":"bearer","token":"t"}}"#
        #expect(try await run.value(spec(rule, request: request)) == [1, 2])
        #expect(
            run.calls.all.map(\.url) == ["https://a.example/orders", "https://b.example/v2/orders/more?n=2"])
        let names = run.calls.all.map { call in call.fields.map { $0.name.lowercased() } }
        #expect(names[0].contains("authorization") && !names[1].contains("authorization"))
    }

    @Test func `take their credentials along to the same origin only`() async throws {
        let urls = [#""https://a.example/2""#, #""https://b.example/3""#, #""https://a.example/4""#, "null"]
        let run = SpecRun { _, before in (200, #"{"items":[],"next":\#(urls[before])}"#) }
        let request =
            #"{"url":"https://a.example/1","auth":{"type":"bearer","token":"t"},"#
            + #""headers":{"X-Key":"k","Accept":"application/json"},"query":{"limit":1}}"#
        let rule = #""next":{"at":"/body/next"},"items":{"at":"/body/items"}"#
        #expect(try await run.value(spec(rule, request: request)) == [])
        let names = run.calls.all.map { call in Set(call.fields.map { $0.name.lowercased() }) }
        let isTrusted = names.map { $0.isSuperset(of: ["authorization", "x-key"]) }
        #expect(isTrusted == [true, true, false, true])
        #expect(names[2] == ["accept", "user-agent"])
        #expect(queries(run) == ["limit=1", "", "", ""])
    }

    // MARK: Attempts and waits

    @Test func `have attempts of their own, and addresses`() async throws {
        let run = SpecRun { _, before in
            (before == 1 || before == 2 ? 503 : before == 4 ? 404 : 200, "[\(before)]")
        }
        let task = run.start(
            spec(#""next":{"page":"p"},"retry":{"max_attempts":3,"backoff":"1s","jitter":"none"}"#))
        for _ in 1...2 {
            await run.clock.waitForSleepers()
            run.clock.advance(by: .seconds(1))
        }
        let ending = try await task.value
        #expect(ending.errors.map(\.code) == [.httpStatus])
        #expect(ending.errors.first?.path == ["orders", "3"])
        #expect(queries(run) == ["p=1", "p=2", "p=2", "p=2", "p=3"])
    }

    @Test func `go on with the page that was refused in the middle, when its upstream says`() async throws {
        let run = SpecRun(fields: { $0.url.hasSuffix("2") ? [("Retry-After", "7")] : [] }) { _, before in
            (before == 1 ? 429 : 200, before == 3 ? "[]" : "[\(before)]")
        }
        let task = run.start(spec(#""next":{"page":"p"}"#))
        await run.clock.waitForSleepers()
        let wake = try #require(run.clock.nextWake)
        #expect(wake.since(run.clock.now) >= .seconds(7))
        run.clock.advance(by: wake.since(run.clock.now))
        let ending = try await task.value
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(ending.result?.bodyValue == [0, 2])
        #expect(queries(run) == ["p=1", "p=2", "p=2", "p=3"])
    }

    @Test func `that shrink while they are read end with the first empty one`() async throws {
        let run = SpecRun { _, before in (200, ["[1, 2]", "[3]", "[]"][before]) }
        #expect(try await run.value(spec(#""next":{"offset":"o","by":2}"#)) == [1, 2, 3])
        #expect(queries(run) == ["o=0", "o=2", "o=4"])
    }

    @Test(arguments: [#","c":null"#, #","c":"""#, ""])
    func `end with a cursor that is null, empty or absent`(end: String) async throws {
        let run = SpecRun { _, before in (200, #"{"items":[\#(before)]\#(before == 0 ? #","c":0"# : end)}"#) }
        let rule = #""next":{"cursor":{"at":"/body/c"},"query":"c"},"items":{"at":"/body/items"}"#
        #expect(try await run.value(spec(rule)) == [0, 1])
        #expect(queries(run) == ["", "c=0"])
    }

    @Test func `wait between them`() async throws {
        let run = SpecRun { _, before in (200, before < 2 ? "[1]" : "[]") }
        let task = run.start(spec(#""next":{"page":"p"},"every":"200ms""#))
        for _ in 1...2 {
            await run.clock.waitForSleepers()
            #expect(run.clock.nextWake == run.clock.now.advanced(by: .milliseconds(200)))
            run.clock.advance(by: .milliseconds(200))
        }
        #expect(try await task.value.state == .succeeded)
    }

    // MARK: All items, or an error

    @Test func `that lead back to one before are an error`() async throws {
        let run = SpecRun(fields: { [("Link", "<\($0.url.hasSuffix("2") ? "?p=3" : "?p=2")>; rel=next")] }) {
            _, _ in (200, "[1]")
        }
        let ending = try await run.ending(spec(#""next":"link""#))
        #expect(ending.errors.map(\.code) == [.pagesLoop])
        #expect(ending.errors.first?.detail.hasPrefix("Page 3 of orders names a next page") == true)
        #expect(queries(run) == ["", "p=2", "p=3"])
        let cursors = SpecRun { _, _ in (200, #"{"items":[],"c":7}"#) }
        let rule = #""next":{"cursor":{"at":"/body/c"},"query":"c"},"items":{"at":"/body/items"}"#
        #expect(try await cursors.ending(spec(rule)).errors.map(\.code) == [.pagesLoop])
        #expect(queries(cursors) == ["", "c=7"])
    }

    @Test func `above the limit are an error, and not left out`() async throws {
        let run = SpecRun { _, before in (200, before < 3 ? "[1]" : "[]") }
        let ending = try await run.ending(spec(#""next":{"page":"p"},"max_pages":2"#))
        #expect(ending.errors.map(\.code) == [.pagesLimit])
        #expect(
            ending.errors.first?.detail.hasPrefix("orders fetched 2 pages, and there is a next one.") == true)
        #expect(queries(run) == ["p=1", "p=2"])
        let exact = SpecRun { _, before in (200, before < 1 ? "[1]" : "[]") }
        #expect(try await exact.value(spec(#""next":{"page":"p"},"max_pages":2"#)) == [1])
    }

    @Test func `that are too much together are an error, which names the page`() async throws {
        let run = SpecRun { _, _ in (200, "[\"" + String(repeating: "a", count: 4_500_000) + "\"]") }
        let ending = try await run.ending(spec(#""next":{"page":"p"}"#))
        #expect(ending.errors.map(\.code) == [.valueTooLarge])
        #expect(ending.errors.first?.detail.hasPrefix("Page 2: What orders gathers") == true)
        #expect(queries(run) == ["p=1", "p=2"])
    }

    /// An answer, and a part of what the error says about it.
    @Test(arguments: [
        (#""next":"link""#, "[1]", "</2; rel=next", "pages.next", "The field Link is no list of links."),
        (#""next":"link""#, "[1]", "<ftp://b.example/>; rel=next", "pages.next", "cannot be called"),
        (#""next":{"at":"/body/n"}"#, #"{"n":5}"#, "", "pages.next", "/body/n is a number"),
        (#""next":{"at":"/body/n"}"#, #"{"n":"/a\\b"}"#, "", "pages.next", "backslash"),
        (#""next":{"at":"/body/n"}"#, "<html>", "", "reference.not_json", "/body cannot be looked at"),
        (
            #""next":{"cursor":{"at":"/body/n"},"query":"c"}"#, #"{"n":{"a":1}}"#, "", "pages.next",
            "an object, which cannot be a parameter"
        ),
        (
            #""next":"link","items":{"at":"/body/items"}"#, #"{"error":"no"}"#, "", "reference.missing",
            "/body/items"
        ),
        (#""next":"link""#, "<html>", "", "reference.not_json", "/body cannot be looked at"),
        (
            #""next":"link","until":{"at":"/body/last","equals":true}"#, "<html>", "", "reference.not_json",
            "/body cannot be looked at"
        ),
    ])
    func `that lead nowhere, or say nothing, are errors`(
        rule: String, body: String, link: String, code: String, part: String
    ) async throws {
        let run = SpecRun(fields: { _ in link.isEmpty ? [] : [("Link", link)] }) { _, _ in (200, body) }
        let ending = try await run.ending(spec(rule))
        #expect(ending.errors.map(\.code.description) == [code])
        #expect(ending.errors.first?.detail.contains(part) == true, "\(ending.errors)")
        #expect(ending.errors.first?.path == ["orders", "1"])
        #expect(run.calls.all.count == 1)
    }

    // MARK: What is checked before

    @Test(arguments: [
        (#""every":"1s""#, "", "spec.missing_member"), (#""next":"links""#, "/next", "spec.unknown_word"),
        (#""next":{}"#, "/next", "spec.missing_member"), (#""next":5"#, "/next", "spec.wrong_type"),
        (#""next":{"at":"/next"}"#, "/next/at", "spec.bad_pointer"),
        (#""next":{"at":"/body/n","query":"c"}"#, "/next/query", "spec.unknown_member"),
        (#""next":{"cursor":{"at":"/body/c"}}"#, "/next", "spec.missing_member"),
        (#""next":{"cursor":{},"query":"c"}"#, "/next/cursor", "spec.missing_member"),
        (#""next":{"cursor":{"at":"/body/c"},"query":"c","json":"/c"}"#, "/next/json", "spec.conflict"),
        (#""next":{"cursor":{"at":"/body/c"},"json":"/c"}"#, "/request/json", "spec.conflict"),
        (#""next":{"page":"p","from":-1}"#, "/next/from", "spec.out_of_range"),
        (#""next":{"offset":"o"}"#, "/next", "spec.missing_member"),
        (#""next":{"offset":"o","by":0}"#, "/next/by", "spec.out_of_range"),
        (#""next":"link","max_pages":10001"#, "/max_pages", "spec.out_of_range"),
        (#""next":"link","items":"/body/items""#, "/items", "spec.wrong_type"),
        (#""next":"link","until":{"at":"/bdy","equals":1}"#, "/until/at", "spec.bad_pointer"),
        (#""next":"link","backoff":"1s""#, "/backoff", "spec.unknown_member"),
    ])
    func `are checked before they are fetched`(rule: String, pointer: String, code: String) {
        WrongSpec(spec(rule), pointer, code).expectAlone()
    }

    @Test func `are not asked for in two ways`() {
        let url = #"{"url":"https://a.example/?q=1&p=2"}"#
        WrongSpec(spec(#""next":{"page":"p"}"#, request: url), "/request/url", "spec.conflict").expectAlone()
        let key = #"{"url":"https://a.example/","idempotency_key":"one"}"#
        WrongSpec(
            spec(#""next":"link""#, request: key), "/request/idempotency_key", "spec.conflict", "auto"
        ).expectAlone()
        let once = #"{"url":"https://a.example/","conditional":true}"#
        WrongSpec(spec(#""next":"link""#, request: once), "/request/conditional", "spec.conflict")
            .expectAlone()
    }

    @Test func `are shown in the plan as their call, with its retries and timeouts`() throws {
        let rule =
            #""next":{"page":"p"},"items":{"at":"/body/items"},"every":"1s","retry":{"max_attempts":7},"#
            + #""timeouts":{"attempt":"9s","total":"1h"}"#
        let plan = SpecPlan(try readSpec(spec(rule)))
        #expect(
            plan.text == """
                orders  pages  next by p, from 1  items in /body/items  every 1s  at most 1000 pages  within 1h
                *  network  GET  https://a.example/orders  up to 7 attempts

                """)
        let post = #"{"method":"POST","url":"http://a.example/","json":{}}"#
        let warned = SpecPlan(
            try readSpec(spec(#""next":{"cursor":{"at":"/body/c"},"json":"/c"}"#, request: post)))
        #expect(warned.warnings.map(\.code) == ["warning.unsafe_retry"])
        #expect(warned.warnings.first?.operation == "*")
    }

    @Test func `are rebuilt for a look at their requests`() throws {
        let at = Timestamp(milliseconds: 1_800_000_000_000)
        func entries(_ number: Int, next: JSONValue) -> [JournalEntry] {
            [
                .attemptStarted(number: 1, method: "GET", url: "https://a.example/"),
                .noted(name: NoteName.next, value: next),
                .finished(OperationEnding(state: .succeeded)),
            ].map { JournalEntry(at: at, path: [String(number)], event: $0) }
        }
        func urls(_ rule: String, _ positions: [JSONValue]) throws -> [String] {
            let fold = JournalFold(positions.enumerated().flatMap { entries($0 + 1, next: $1) })
            let sites = CallSite.all(
                of: try readSpec(spec(rule)), fold: fold, seed: "job_1", submittedAt: at, connections: nil)
            return try sites.keys.compactMap(\.first).sorted().map { number in
                try #require(sites[[number]]).request(ofAttempt: 1).call.url
            }
        }
        let (first, second) = ("https://a.example/orders", "https://b.example/2")
        #expect(try urls(#""next":"link""#, [.string(second), .null]) == [first, second])
        #expect(try urls(#""next":{"page":"p"}"#, [2, .null]) == [first + "?p=1", first + "?p=2"])
    }
}
