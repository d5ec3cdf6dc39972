import HTTPMessage
import Testing

@Suite struct `The retry hint of an answer` {
    private let now = HTTPDate(secondsSince1970: 1_795_255_200)

    private func delay(_ fields: [String: String]) -> Duration? {
        RetryRequest.delay(from: now, time: { $0 == "2026-11-21T10:00:30Z" ? 1_795_255_230_000 : nil }) {
            fields[$0]
        }
    }

    @Test(arguments: [
        (["retry-after": "30"], 30), (["retry-after": "Sat, 21 Nov 2026 10:01:00 GMT"], 60),
        (["retry-after": "Sat, 21 Nov 2020 10:01:00 GMT"], 0),
        (["retry-after": "1795255260", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795255260"], 60),
        (["retry-after": "2678400"], 2_678_400), (["retry-after": "5", "ratelimit": #""a";r=0;t=90"#], 5),
        (["ratelimit": #""default";r=0;t=30"#], 30), (["ratelimit": #""default"; t=31 ;r=0"#], 31),
        (["ratelimit": #"default;r=0;t=7"#], 7),
        (["ratelimit": #""a";r=5;t=99, "b";r=0;t=12, "c";r=0;t=40"#], 40),
        (["ratelimit": #""a";r=0;pk=:aGVsbG8=:;t=8"#], 8), (["ratelimit": #""x,y;r=1";r=0;t=9"#], 9),
        (["ratelimit": #""a";at=@1659578233;r=0;t=9"#], 9), (["ratelimit": #""a";soft=?0;r=0;t=9"#], 9),
        (["ratelimit": #""a";who=%"f%c3%bc, \";r=0;t=9"#], 9),
        (["ratelimit": #""a";by=http://x/y:z;r=0;t=9"#], 9), (["ratelimit": #""a";f=-1.5;soft;r=0;t=9"#], 9),
        (["ratelimit": #"("a" "b,");r=0;t=1, "c";r=0;t=9"#], 9),
        (["ratelimit-remaining": "0", "ratelimit-reset": "12"], 12),
        (["x-ratelimit-remaining": "0", "x-ratelimit-reset": "45"], 45),
        (["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1.2"], 2),
        (["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795255230"], 30),
        (["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795255260000"], 60),
        (["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1600000000"], 0),
    ])
    func `is understood in every form`(fields: [String: String], seconds: Int) {
        #expect(delay(fields) == .seconds(seconds))
    }

    @Test(arguments: [
        (["retry-after-ms": "250"], 250), (["retry-after-ms": "250.2", "retry-after": "1"], 251),
        (["retry-after-ms": "soon", "retry-after": "1"], 1_000), (["retry-after-ms": "0"], 0),
        (["x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s"], 1_000),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"], 360_000),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"], 20),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3s"], 3_723_000),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1.5s"], 1_500),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2m59.5601s"], 179_561),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12µs3ns"], 1),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7"], 7_000),
        (["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "2026-11-21T10:00:30Z"], 30_000),
        (
            [
                "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "5s",
                "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s",
            ], 9_000
        ),
        (
            [
                "x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "5m",
                "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s",
            ], 9_000
        ),
        (
            [
                "anthropic-ratelimit-input-tokens-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": "2026-11-21T10:00:30Z",
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "12",
            ], 30_000
        ),
        (["retry-after": "2", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s"], 2_000),
    ])
    func `is understood as language models give it`(fields: [String: String], milliseconds: Int) {
        #expect(delay(fields) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["requests", "tokens", "input-tokens", "output-tokens"])
    func `is understood for each quota of a language model`(quota: String) {
        let (remaining, reset) = (
            "anthropic-ratelimit-\(quota)-remaining", "anthropic-ratelimit-\(quota)-reset"
        )
        #expect(delay([remaining: "0", reset: "2026-11-21T10:00:30Z"]) == .seconds(30))
        #expect(delay([remaining: "1", reset: "2026-11-21T10:00:30Z"]) == nil)
        #expect(delay([remaining: "0", reset: "2026-11-21"]) == nil)
        #expect(RetryRequest.fields.isSuperset(of: [remaining, reset]))
    }

    @Test(arguments: [
        "", "s", "1", "1x", "1 s", "-1s", "+1s", ".s", "1..5s", "1s ", "1s5", "1e3s", "1h2", "32d", "745h",
        "9999999999999s", "1sm", "1S", "111111111111h", "1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s1s",
    ])
    func `is nil for a reset that is no duration, or too long`(text: String) {
        let fields = ["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": text]
        #expect(delay(fields) == (text == "1" ? .seconds(1) : nil))
    }

    @Test(arguments: [
        [:], ["retry-after": "1795255260"], ["retry-after": "1795255260000"], ["retry-after": "2678401"],
        ["retry-after": "Sat, 21 Nov 2037 10:01:00 GMT"], ["ratelimit": #""a";r=0;t=1795255260"#],
        ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1895255230"],
        ["retry-after": "soon"], ["ratelimit": #""a";r=5;t=30"#], ["ratelimit": #""a";r=0"#],
        ["ratelimit": #""a";r=-1;t=30"#], ["ratelimit": #""a"#], ["ratelimit": "a;r=0;t=30 x"],
        ["ratelimit": ""],
        ["ratelimit-reset": "12"], ["ratelimit-remaining": "1", "ratelimit-reset": "12"],
        ["x-ratelimit-remaining": "0"], ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "tomorrow"],
        ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999999999999"],
        ["retry-after-ms": "2678400001"], ["retry-after-ms": "-5"], ["retry-after-ms": "1s"],
        ["x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "9s"],
        ["x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-requests": "9s"],
        ["x-ratelimit-remaining-tokens": "none", "x-ratelimit-reset-tokens": "9s"],
    ])
    func `is nil without a usable value`(fields: [String: String]) {
        #expect(delay(fields) == nil)
    }
}
