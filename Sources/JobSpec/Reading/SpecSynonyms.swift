internal import StrictJSON

/// Terms of other job systems, so that their users get ours as suggestions.
enum SpecSynonyms {
    /// The name among `known` that is meant by `word`, a term of another system or a misspelling of one of ours; nil
    /// when none is close. Case, `_` and `-` are ignored in terms of others. A string where another system has the
    /// content of a call is text, and a share of failures is a percentage.
    /// - Parameter steps: see `SpellingSuggestion.nearest`.
    static func suggestion(
        for word: String, value: JSONValue? = nil, in known: [String], steps: inout Int
    ) -> String? {
        guard steps > 0, word.utf8.count <= bytesMax else { return nil }
        let letters = word.lowercased().filter { $0 != "_" && $0 != "-" }
        steps -= 4 * (word.utf8.count + known.count)
        let name = names[letters]?.first { known.contains($0) }
        if name == "json", case .string? = value, known.contains("text") { return "text" }
        if name == "max_failures", value?.object?["percent"] != nil { return "max_failed_percent" }
        return name ?? SpellingSuggestion.nearest(to: word, in: known, steps: &steps)
            ?? part(of: letters, in: known, steps: &steps)
    }

    /// The meaning of the first known part of a word, such as `retry` in `retryExponentialBackoff`.
    private static func part(of letters: String, in known: [String], steps: inout Int) -> String? {
        let bytes = Array(letters.utf8)
        for (part, meanings) in parts {
            guard steps > 0 else { return nil }
            steps -= bytes.count
            guard let name = meanings.first(where: { known.contains($0) }),
                bytes.indices.contains(where: { bytes[$0...].starts(with: part.utf8) })
            else { continue }
            return name
        }
        return nil
    }

    /// Parts of the words of other systems, the most telling first.
    private static let parts: KeyValuePairs<String, [String]> = [
        "callback": ["callbacks"], "webhook": ["callbacks"], "backoff": ["backoff", "retry"],
        "retry": ["retry"], "retries": ["max_attempts", "retry"], "attempt": ["max_attempts", "retry"],
        "timeout": ["timeouts", "timeout"], "jitter": ["jitter"], "priority": ["priority"],
        "schedule": ["run_at"], "redirect": ["redirects"], "header": ["headers"], "cookie": ["cookies"],
        "auth": ["auth"], "cert": ["tls"], "tls": ["tls"], "ssl": ["tls"], "queue": ["queue"],
        "depend": ["after"], "runafter": ["after"], "concurren": ["concurrency"],
        "parallel": ["concurrency"], "unique": ["unique"], "dedup": ["unique"], "idempot": ["unique"],
        "retention": ["retention"], "label": ["labels"], "metadata": ["metadata"], "request": ["request"],
    ]

    /// Longer ones mean nothing here.
    private static let bytesMax = 64

    /// The possible meanings of each word, the likeliest first.
    static let names = Dictionary(words.map { ($0.key, $0.value) }, uniquingKeysWith: +)

    private static let words: KeyValuePairs<String, [String]> = [
        // what an operation is
        "http": ["network", "request"], "webhook": ["network", "callbacks"], "fetch": ["network"],
        "curl": ["network"], "call": ["network", "request"], "sleep": ["for", "delay"],
        "wait": ["for", "delay", "otherwise"], "timer": ["delay"], "sequence": ["group"],
        "parallel": ["group", "concurrency"], "invoke": ["network"], "task": ["network"],
        "rest": ["network"], "activity": ["network"], "function": ["network"], "lambda": ["network"],
        "pass": ["value"], "succeed": ["value"], "constant": ["value"], "set": ["value"],
        "suspend": ["await"], "event": ["await", "signal"], "waitforsignal": ["await"],
        "waitforevent": ["await"],
        "waitfortasktoken": ["await"], "dowhile": ["repeat"], "while": ["repeat"], "until": ["repeat"],
        "subworkflow": ["template"], "callworkflow": ["template"], "childworkflow": ["template"],
        "startworkflow": ["template"], "result": ["value"], "switch": ["of"],
        "taskreferencename": ["name"], "inputparameters": ["params", "request", "for"],
        "loopcondition": ["until"], "loopover": ["operation"], "subworkflowparam": ["template"],
        "header": ["headers", "operations"],
        "chord": ["group"], "workflow": ["group"], "dag": ["group"], "noop": ["value"],
        "loop": ["repeat"], "paginate": ["pages"], "pagination": ["pages"], "paging": ["pages"],
        "signal": ["await"], "switch": ["choose"], "branch": ["choose"],
        "conditional": ["choose"], "choice": ["choose"], "case": ["choose", "when"],
        "map": ["transform"], "filter": ["transform"], "wrapper": ["template"], "use": ["template"],
        "uses": ["template"], "include": ["template"],
        // how it ends early, and after what it runs
        "failfast": ["stop_when"], "cancelrest": ["stop_when"], "stoponfailure": ["stop_when"],
        "stoponerror": ["stop_when"], "tolerate": ["max_failures"], "count": ["max_failures"],
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
        "interval": ["every"], "count": ["max_runs"], "iterations": ["max_runs"],
        "output": ["save", "result"],
        "destination": ["save"], "saveto": ["save"], "checksum": ["verify"], "sha256": ["verify"],
        "digest": ["verify"], "mutex": ["lock"], "exclusive": ["lock"], "semaphore": ["lock"],
        // calls
        "url": ["request", "base_url"], "uri": ["url", "request", "base_url"],
        "href": ["url", "request", "base_url"], "endpoint": ["url", "request", "base_url"],
        "method": ["request"], "verb": ["method", "request"],
        "headers": ["request"], "body": ["json", "message", "finally"], "data": ["json"],
        "payload": ["json", "data"], "content": ["text", "message"], "params": ["query"],
        "qs": ["query"], "searchparams": ["query"], "followredirects": ["redirects"],
        "statuscode": ["status"], "statuscodes": ["status"], "retries": ["retry", "max_attempts"],
        "attempts": ["max_attempts", "max_polls", "retry"],
        "maxattempts": ["max_attempts", "max_polls", "retry"], "maxretries": ["max_attempts", "retry"],
        "retrypolicy": ["retry"], "retrystrategy": ["retry"], "retrycount": ["retry"],
        "retrylimit": ["retry"],
        "retryon": ["errors"], "errorequals": ["errors"], "codes": ["errors"], "status": ["errors"],
        "statuses": ["status", "errors"], "statuscodes": ["errors"], "interval": ["backoff"],
        "intervalseconds": ["backoff"], "backoffrate": ["backoff"], "factor": ["backoff"],
        "multiplier": ["backoff"], "wait": ["backoff"], "delay": ["backoff"], "maxdelay": ["backoff"],
        "count": ["max_attempts"], "timeout": ["timeouts"], "timeoutseconds": ["timeouts"],
        "timeoutminutes": ["timeouts"], "timeoutms": ["timeouts"], "softtimelimit": ["timeouts"],
        "activedeadlineseconds": ["timeouts"], "expireinseconds": ["timeouts"], "jobtimeout": ["timeouts"],
        "timelimit": ["timeouts"],
        "read": ["first_byte"], "response": ["first_byte"], "idle": ["stall"], "overall": ["total"],
        "perattempt": ["attempt"],
        "sign": ["auth"], "signature": ["auth"], "user": ["username"], "pass": ["password"],
        "secret": ["key"],
        // questions about answers
        "eq": ["equals"], "is": ["equals"], "ne": ["not_equals"], "gt": ["greater"], "lt": ["less"],
        "regex": ["matches"], "path": ["at"], "pointer": ["at"], "jsonpath": ["at"], "field": ["at"],
        // the whole job
        "at": ["run_at"], "eta": ["run_at"], "startat": ["run_at"], "scheduledat": ["run_at"],
        "scheduleat": ["run_at"], "notbefore": ["run_at"], "countdown": ["run_at"], "startafter": ["run_at"],
        "ttl": ["start_by"], "expires": ["start_by"], "expiresin": ["start_by"], "expiresat": ["start_by"],
        "startwithin": ["start_by"], "due": ["finish_by"], "dueat": ["finish_by"], "duedate": ["finish_by"],
        "endby": ["finish_by"],
        "tags": ["labels"], "meta": ["metadata"], "annotations": ["metadata"], "webhooks": ["callbacks"],
        "callbackurl": ["callbacks"], "webhookurl": ["callbacks"], "onsuccess": ["callbacks"],
        "crontab": ["cron"], "schedule": ["cron"], "partition": ["queue_key"], "partitionkey": ["queue_key"],
        "groupkey": ["queue_key"], "fairnesskey": ["queue_key"],
        "uniquefor": ["unique"], "singletonkey": ["unique"], "singletonseconds": ["unique"],
        "jobid": ["unique"], "deduplication": ["unique"], "dedupe": ["unique"], "uniquekey": ["unique"],
        "capability": ["grant"], "permission": ["grant"],

        "removeoncomplete": ["retention"], "removeonfail": ["retention"], "retentionseconds": ["retention"],
        "keepuntil": ["retention"], "ttlsecondsafterfinished": ["retention"], "resultttl": ["retention"],
        "onexit": ["finally", "callbacks"], "optional": ["on_failure"], "deduplicationid": ["unique"],
        "dedupkey": ["unique"],
        // retries, times and limits of other systems
        "initialinterval": ["backoff", "initial"], "initialdelay": ["backoff", "initial"],
        "minbackoff": ["backoff", "initial"], "delay": ["initial"], "maximuminterval": ["backoff", "max"],
        "maxinterval": ["backoff", "max"], "maxbackoff": ["backoff", "max"],
        "maxdelayseconds": ["backoff", "max"], "maxdelay": ["max"],
        "backoffcoefficient": ["backoff", "factor"], "multiplier": ["factor"], "maxdoublings": ["backoff"],
        "maximumattempts": ["max_attempts", "max_polls", "retry"], "nonretryableerrortypes": ["never"],
        "nonretryable": ["never"], "donotretry": ["never"], "jitterstrategy": ["jitter"],
        "maxretryduration": ["max_elapsed"], "maxelapsedtime": ["max_elapsed"],
        "retryallerrors": ["errors", "retry"], "retryconfig": ["retry"], "retryoptions": ["retry"],
        "backofflimit": ["retry"], "autoretryfor": ["retry"], "retryjitter": ["retry"],
        "retrybackoffmax": ["retry"],
        "starttoclosetimeout": ["timeouts"], "heartbeatseconds": ["timeouts"],
        "heartbeattimeout": ["timeouts"], "responsetimeoutseconds": ["timeouts"],
        "dispatchdeadline": ["timeouts"], "timeoutpolicy": ["timeouts"], "executiontimeout": ["timeouts"],
        "maxtime": ["total", "timeouts"], "connecttimeout": ["connect", "timeouts"],
        "readtimeout": ["first_byte", "timeouts"], "scheduletoclosetimeout": ["finish_by"],
        "scheduletostarttimeout": ["start_by"], "scheduletime": ["run_at"], "performin": ["run_at"],
        "performat": ["run_at"], "waituntil": ["run_at"], "wait": ["run_at"], "delayseconds": ["run_at"],
        "secondspath": ["for"], "timestamppath": ["until"], "timestamp": ["until"],
        "taskqueue": ["queue"], "queuename": ["queue"], "routingkey": ["queue"],
        "workflowid": ["unique"], "workflowidreusepolicy": ["unique"], "idempotency": ["unique"],
        "idempotencykey": ["unique"], "ignoreresult": ["retention"],
        "depends": ["after"], "runafter": ["after"], "chain": ["ordered"], "linear": ["ordered"],
        "restart": ["retry"], "pool": ["queue"], "sla": ["finish_by"], "replace": ["unique"],
        "maxretrydelay": ["retry"], "inputs": ["request"], "actions": ["operations"], "scope": ["group"],
        "expression": ["until", "result"], "minutes": ["for"], "hours": ["for"], "days": ["for"],
        "ms": ["for"], "milliseconds": ["for"], "base": ["initial"], "jsonpath": ["that"],
        "body": ["that"], "json": ["that"], "value": ["that"], "text": ["message"], "channel": ["request"],
        "subject": ["title"],
        "assign": ["value"], "setvariable": ["value"], "return": ["value", "result"],
        "httppoll": ["poll"], "email": ["notify"], "slack": ["notify"],
        "decisioncases": ["of"], "defaultcase": ["else"], "expression": ["of"], "evaluatortype": ["of"],
        // requests of curl and of HTTP clients
        "d": ["text"], "h": ["headers"], "x": ["method"], "f": ["multipart"], "u": ["auth"],
        "l": ["redirects"], "httpmethod": ["method", "request"], "apiendpoint": ["url", "request"],
        "dataurlencode": ["form"], "dataraw": ["text"], "databinary": ["text"], "formdata": ["multipart"],
        "files": ["multipart"], "file": ["artifact", "multipart"], "user": ["auth"], "bearer": ["auth"],
        "token": ["auth"], "authorization": ["auth"], "credentials": ["auth"], "cookie": ["cookies"],
        "cookiejar": ["cookies"], "useragent": ["headers"], "contenttype": ["headers"],
        "accept": ["headers"], "location": ["redirects"], "maxredirects": ["redirects"],
        "maxredirs": ["redirects"], "querystring": ["query"], "queryparams": ["query"],
        "pathparams": ["vars"], "expectedstatus": ["expect"], "validatestatus": ["expect"],
        "successcodes": ["expect"], "successcondition": ["expect"], "failurecondition": ["expect"],
        "failon": ["expect"], "failwithbody": ["expect"], "assert": ["expect"],
        // schedules
        "concurrencypolicy": ["overlap"], "overlappolicy": ["overlap"], "maxinstances": ["overlap"],
        "startingdeadlineseconds": ["missed"], "catchup": ["missed"], "misfiregracetime": ["missed"],
        "coalesce": ["missed"], "timezone": ["tz"], "jobtemplate": ["job"], "startdate": ["starts_at"],
        "enddate": ["ends_at"],
        // what had another name here
        "delay": ["run_at"], "deadline": ["finish_by"], "expiresafter": ["start_by"], "key": ["queue_key"],
        "times": ["max_runs", "max_attempts", "max_polls"],
        "limit": ["max_runs", "max_polls", "max_pages", "max_attempts", "concurrency"],
        "to": ["save", "result", "request"], "on": ["states", "errors", "calendar"],
        "from": ["counted_from"], "giveupafter": ["timeout"], "retryaftermax": ["max_retry_after"],
        "mutualexclusion": ["lock"],
        // an approval
        "title": ["prompt"], "message": ["prompt"], "question": ["prompt"],
    ]

    /// The word among `words` for what to do that is meant by `verb`; nil when there is none.
    static func word(for verb: String, in words: [String]) -> String? {
        guard verb.utf8.count <= bytesMax else { return nil }
        return verbs[verb.lowercased()]?.first { words.contains($0) }
    }

    private static let verbs = [
        "queue": ["wait"], "refuse": ["reject"], "reject": ["fail"], "approve": ["continue"],
        "ignore": ["continue", "skip"], "proceed": ["continue"], "abort": ["fail"], "block": ["wait"],
        "stop": ["fail"], "forbid": ["skip"], "drop": ["skip"],
        // ways to identify
        "oauth2": ["oauth2_client_credentials"], "oauth": ["oauth2_client_credentials"],
        "client_credentials": ["oauth2_client_credentials"], "api_key": ["header"], "apikey": ["header"],
        "token": ["bearer"], "jwt": ["bearer"], "aws": ["aws_sigv4"], "sigv4": ["aws_sigv4"],
    ]
}
