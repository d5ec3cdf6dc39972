internal import JobKit
internal import StrictJSON

/// Members of operations in other systems that need more than another name here.
extension FamiliarWords {
    /// The answer to a member by its letters; nil where another name says it all.
    /// - Parameters:
    ///   - type: the type of the operation.
    ///   - operation: its name.
    static func partAnswer(
        _ word: String, _ value: JSONValue, of type: String, _ operation: String
    ) -> Answer? {
        switch word {
        case "next", "goto", "link", "then":
            ("The operation that comes later says what it follows.", "\"after\": [\"\(operation)\"]")
        case "end", "isend", "terminal":
            ("An operation that no other one follows is the last one.", "leave it out")
        case "linkerror", "errback", "except", "rescue": (reactionDetail, reaction(to: operation))
        case "withitems", "withparam", "withsequence", "strategy", "matrix", "fanout", "completions":
            (eachDetail, type == "group" ? eachMember : each)
        case "mutex", "semaphore", "synchronization", "lock", "exclusive", "dependsonpast":
            (lockDetail, lock)
        case "ratelimit", "throttle", "limiter", "rate":
            (
                "Rates are limits of queues and hosts: PUT /v1/queues/{name}.",
                #"PUT /v1/queues/mail with {"rate": {"count": 10, "per": "1m"}}"#
            )
        case "retrydelay", "retrydelayseconds", "defaultretrydelay", "retrybackoff", "retryinterval",
            "backoff":
            ("The wait before the next attempt is one of the rules of retry.", backoff(value))
        case "retryfor", "retryuntil":
            (
                "The time for all attempts is one of the rules of retry.",
                "\"retry\": {\"max_elapsed\": \"\(durationText(value) ?? "48h")\"}"
            )
        case "env", "environment", "variables", "vars", "with":
            (
                "Values are filled into the URL, or into any text with \"$text\".",
                #""request": {"url": "https://example.com/{id}", "vars": {"id": 7}}"#
            )
        case "deadletter", "deadletterqueue", "dlq", "dead":
            (
                "A failed job is kept with its error: GET /v1/jobs?state=failed lists them, POST /v1/jobs/{id}:retry "
                    + "runs one again, and a callback tells of it.",
                #""callbacks": [{"request": "https://example.com/failed", "states": ["failed"]}]"#
            )
        case "lifo": ("Within a queue the highest priority comes first, then the oldest.", #""priority": 9"#)
        case "repeat", "recurring": repetition(value, of: type)
        case "if" where names(value, "failure()"): (reactionDetail, reaction(to: "charge"))
        case "if" where names(value, "always()"):
            (
                "An operation that runs whatever happened says so in its edges.",
                #""after": [{"operation": "charge", "states": "any"}]"#
            )
        default: lifeAnswer(word)
        }
    }

    /// The answer to a member about how a job begins, repeats and ends.
    private static func lifeAnswer(_ word: String) -> Answer? {
        switch word {
        case "debounce":
            (
                "A job that takes the place of the waiting one with its key debounces; \"run_at\" says for how long.",
                #""unique": {"key": "orders", "on_conflict": "replace"}"#
            )
        case "suspend", "paused", "onhold", "held":
            (
                "What waits for a person has an approval; POST /v1/jobs/{job_id}:hold holds a job that was submitted.",
                approval
            )
        case "triggerrule", "runon", "runif":
            (
                "The states of what an operation follows are in its edges.",
                #""after": [{"operation": "charge", "states": "any"}]"#
            )
        case "parent", "parents": ("An operation belongs to the group that lists it.", together)
        case "failparentonfailure":
            ("A failed operation fails its group, unless \"on_failure\" says otherwise.", "leave it out")
        case "ackslate", "acksonfailureortimeout":
            ("A job is stored until it has ended, whatever stops in between.", "leave it out")
        default: nil
        }
    }

    /// The answer to a member of a request; nil where another name says it all.
    static func requestAnswer(_ name: String) -> Answer? {
        switch letters(of: name) {
        case "insecure", "k", "verify", "verifyssl", "rejectunauthorized", "strictssl", "skiptlsverify":
            (
                "The certificate of a server is always checked; an authority of your own is in \"tls\".",
                #""tls": {"ca": "-----BEGIN CERTIFICATE-----…"}"#
            )
        case "compressed", "gzip", "decompress":
            ("Compressed answers are asked for and unpacked by themselves.", "leave it out")
        case "baseurl", "basepath", "host":
            (
                "A base URL belongs to a connection, PUT /v1/connections/{name}, which operations name beside their request.",
                #""connection": "crm""#
            )
        case "mode", "cache", "keepalive", "responsetype", "stream", "referrerpolicy":
            ("The call needs nothing of the kind.", "leave it out")
        default: nil
        }
    }

    /// The answer to a member of other types.
    static func foreignAnswer(
        _ name: String, _ value: JSONValue, of type: String, _ operation: String
    ) -> Answer? {
        switch name {
        case "input": ("What a call sends is in its request.", "request")
        case "next": partAnswer(name, value, of: type, operation)
        case "every": schedule(every: durationText(value) ?? "5m", type)
        case "callback": ("What is called when a job ends is one of its callbacks.", "callbacks")
        case "concurrency": (lockDetail, lock)
        case "backoff": ("The wait before the next attempt is one of the rules of retry.", backoff(value))
        default: nil
        }
    }

    /// Whether a short text has a word of an expression in it.
    private static func names(_ value: JSONValue, _ word: String) -> Bool {
        guard let bytes = value.string.map({ Array($0.utf8) }), bytes.count <= 200 else { return false }
        return bytes.indices.contains { bytes[$0...].starts(with: word.utf8) }
    }

    private static func repetition(_ value: JSONValue, of type: String) -> Answer {
        if let object = value.object, object["operation"] != nil || object["max_runs"] != nil {
            return (
                "A repetition is an operation around another one.",
                #"{"type": "repeat", "max_runs": 3, "operation": {"type": "value", "value": 1}}"#
            )
        }
        let object = value.object
        let times = object?["pattern"] ?? object?["cron"]
        return schedule(times?.string, type)
    }

    private static func backoff(_ value: JSONValue) -> String {
        let object = value.object
        let wait = durationText(value) ?? object?["delay"].flatMap { durationText($0) } ?? "5s"
        return "\"retry\": {\"backoff\": \"\(wait)\"}"
    }

    /// The duration that a value means: a number counts seconds, and a large one milliseconds.
    private static func durationText(_ value: JSONValue) -> String? {
        if let number = value.number?.int, number >= 0 {
            return number >= 1_000 && number % 100 == 0 ? "\(number)ms" : "\(number)s"
        }
        guard let text = value.string, (try? DurationText.parse(text)) != nil else { return nil }
        return text
    }

    private static let lockDetail =
        "An operation that runs one at a time, over all jobs, takes an exclusive key; how many jobs run is up to "
        + "their queue."
    private static let lock = #""conditions": [{"type": "lock", "key": "ledger"}]"#
}
