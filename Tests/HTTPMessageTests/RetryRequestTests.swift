import HTTPMessage
import Testing

@Suite struct `The retry hint of an answer` {
    private let now = HTTPDate(secondsSince1970: 1_795_255_200)

    private func delay(_ fields: [String: String]) -> Duration? {
        RetryRequest.delay(from: now) { fields[$0] }
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
        [:], ["retry-after": "1795255260"], ["retry-after": "1795255260000"], ["retry-after": "2678401"],
        ["retry-after": "Sat, 21 Nov 2037 10:01:00 GMT"], ["ratelimit": #""a";r=0;t=1795255260"#],
        ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "1895255230"],
        ["retry-after": "soon"], ["ratelimit": #""a";r=5;t=30"#], ["ratelimit": #""a";r=0"#],
        ["ratelimit": #""a";r=-1;t=30"#], ["ratelimit": #""a"#], ["ratelimit": "a;r=0;t=30 x"],
        ["ratelimit": ""],
        ["ratelimit-reset": "12"], ["ratelimit-remaining": "1", "ratelimit-reset": "12"],
        ["x-ratelimit-remaining": "0"], ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "tomorrow"],
        ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999999999999"],
    ])
    func `is nil without a usable value`(fields: [String: String]) {
        #expect(delay(fields) == nil)
    }
}
