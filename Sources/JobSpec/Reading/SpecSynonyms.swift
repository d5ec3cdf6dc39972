internal import StrictJSON

/// Terms of other job systems, so that their users get ours as suggestions.
enum SpecSynonyms {
    /// The name among `known` that is meant by `word`, a term of another system or a misspelling of one of ours; nil
    /// when none is close. Case, `_` and `-` are ignored in terms of others. A string where another system has the
    /// content of a call is text.
    /// - Parameter steps: see `SpellingSuggestion.nearest`.
    static func suggestion(
        for word: String, value: JSONValue? = nil, in known: [String], steps: inout Int
    ) -> String? {
        guard steps > 0, word.utf8.count <= bytesMax else { return nil }
        let letters = word.lowercased().filter { $0 != "_" && $0 != "-" }
        steps -= 4 * (word.utf8.count + known.count)
        let name = names[letters]?.first { known.contains($0) }
        if name == "json", case .string? = value, known.contains("text") { return "text" }
        return name ?? SpellingSuggestion.nearest(to: word, in: known, steps: &steps)
    }

    /// Longer ones mean nothing here.
    private static let bytesMax = 64

    /// The possible meanings of each word, the likeliest first.
    static let names: [String: [String]] = [
        // what an operation is
        "http": ["network", "request"], "webhook": ["network", "callbacks"], "fetch": ["network"],
        "curl": ["network"], "call": ["network", "request"], "sleep": ["for", "delay"],
        "wait": ["for", "delay", "otherwise"], "timer": ["delay"], "sequence": ["group"],
        "parallel": ["group", "concurrency"],
        "chain": ["group"], "chord": ["group"], "workflow": ["group"], "dag": ["group"], "noop": ["value"],
        "loop": ["repeat"], "paginate": ["pages"], "pagination": ["pages"], "paging": ["pages"],
        "signal": ["await"], "switch": ["choose"], "branch": ["choose"],
        "conditional": ["choose"], "choice": ["choose"], "case": ["choose", "when"],
        "map": ["transform"], "filter": ["transform"], "wrapper": ["template"], "use": ["template"],
        "uses": ["template"], "include": ["template"],
        // how it ends early, and after what it runs
        "failfast": ["stop_when"], "cancelrest": ["stop_when"], "stoponfailure": ["stop_when"],
        "stoponerror": ["stop_when"], "tolerate": ["max_failures"], "count": ["times", "max_failures"],
        "percent": ["max_failed_percent"], "maxfailed": ["max_failures"], "on": ["states"],
        "state": ["states"], "outcome": ["states"], "onclosed": ["otherwise"],
        "onunsatisfied": ["otherwise"], "else": ["otherwise"], "silent": ["check_only"],
        "dryrun": ["check_only"],
        // what is in it
        "steps": ["operations"], "tasks": ["operations"], "jobs": ["operations"], "members": ["operations"],
        "children": ["operations"], "stages": ["operations"], "nodes": ["operations"], "id": ["name"],
        "needs": ["after"], "dependson": ["after"], "dependencies": ["after"],
        "requires": ["after"], "upstream": ["after"], "if": ["when", "choose"], "onlyif": ["when"],
        "cases": ["of", "choose"], "choices": ["of", "choose"], "branches": ["of", "choose"],
        "then": ["operation"], "otherwise": ["else"], "default": ["else"], "fallback": ["else"],
        "onerror": ["on_failure"], "allowfailure": ["on_failure"], "continueonerror": ["on_failure"],
        "always": ["finally"],
        "cleanup": ["finally"], "parallelism": ["concurrency"], "maxparallel": ["concurrency"],
        "foreach": ["group", "map"], "items": ["map"], "over": ["items"], "do": ["operation"],
        "sequential": ["ordered"], "serial": ["ordered"], "args": ["params"], "arguments": ["params"],
        "parameters": ["params"], "inputs": ["params"], "duration": ["for"], "seconds": ["for"],
        "interval": ["every"], "iterations": ["times"], "output": ["to"],
        "destination": ["to"], "saveto": ["to"], "checksum": ["verify"], "sha256": ["verify"],
        "digest": ["verify"], "mutex": ["mutual_exclusion"], "lock": ["mutual_exclusion"],
        // calls
        "url": ["request", "base_url"], "uri": ["url", "request", "base_url"],
        "href": ["url", "request", "base_url"], "endpoint": ["url", "request", "base_url"],
        "method": ["request"], "verb": ["method", "request"],
        "headers": ["request"], "body": ["json", "message"], "data": ["json"],
        "payload": ["json", "data"], "content": ["text", "message"], "params": ["query"],
        "qs": ["query"], "searchparams": ["query"], "followredirects": ["redirects"],
        "statuscode": ["status"], "statuscodes": ["status"], "retries": ["retry", "max_attempts"],
        "attempts": ["max_attempts", "max_polls", "retry"],
        "maxattempts": ["max_polls", "retry"], "maxretries": ["max_attempts", "retry"],
        "retrypolicy": ["retry"], "timeout": ["timeouts"], "timelimit": ["timeouts"],
        "read": ["first_byte"], "response": ["first_byte"], "idle": ["stall"], "overall": ["total"],
        "perattempt": ["attempt"],
        "sign": ["auth"], "signature": ["auth"], "user": ["username"], "pass": ["password"],
        "secret": ["key"],
        // questions about answers
        "eq": ["equals"], "is": ["equals"], "ne": ["not_equals"], "gt": ["greater"], "lt": ["less"],
        "regex": ["matches"], "path": ["at"], "pointer": ["at"], "jsonpath": ["at"], "field": ["at"],
        // the whole job
        "at": ["run_at"], "eta": ["run_at"], "startat": ["run_at"], "scheduledat": ["run_at"],
        "scheduleat": ["run_at"], "notbefore": ["run_at"], "countdown": ["delay"], "startafter": ["delay"],
        "ttl": ["expires_after"], "expires": ["expires_after"], "expiresin": ["expires_after"],
        "tags": ["labels"], "meta": ["metadata"], "annotations": ["metadata"], "webhooks": ["callbacks"],
        "callbackurl": ["callbacks"], "webhookurl": ["callbacks"], "onsuccess": ["callbacks"],
        "cron": ["repeat", "run_at"], "crontab": ["repeat", "run_at"], "schedule": ["repeat", "run_at"],
        "uniquekey": ["unique"], "deduplicationid": ["unique"], "dedupkey": ["unique"],
    ]
}
