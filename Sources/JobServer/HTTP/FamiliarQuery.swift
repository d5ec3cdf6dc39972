import StrictJSON

/// Words in the queries of other APIs, so that their users get ours as suggestions.
enum FamiliarQuery {
    /// The parameter among `known` that is meant by one that is not known: a word of another API, a misspelling, or the
    /// last word of a known one, such as `key`; nil when none is close.
    static func parameter(_ name: String, in known: [String]) -> String? {
        familiar(name, parameters, in: known)
            ?? SpellingSuggestion.nearest(to: name, in: known)
            ?? known.first { $0.utf8.reversed().starts(with: ("_" + name).utf8.reversed()) }
    }

    /// The value among `known` that is meant by one that is not: a word of another API, or a misspelling.
    static func value(_ word: String, in known: [String]) -> String? {
        familiar(word, values, in: known) ?? SpellingSuggestion.nearest(to: word, in: known)
    }

    private static func familiar(
        _ word: String, _ table: KeyValuePairs<String, [String]>, in known: [String]
    ) -> String? {
        guard word.utf8.count <= bytesMax else { return nil }
        let letters = word.lowercased().filter { $0 != "_" && $0 != "-" && $0 != "." }
        return table.first { $0.key.hasSameBytes(as: letters) }?.value.first { known.contains($0) }
    }

    /// Longer words mean nothing here.
    private static let bytesMax = 64

    private static let parameters: KeyValuePairs<String, [String]> = [
        "limit": ["page_size"], "perpage": ["page_size"], "pagelimit": ["page_size"], "count": ["page_size"],
        "size": ["page_size"], "first": ["page_size"], "maxresults": ["page_size"], "top": ["page_size"],
        "page": ["page_token"], "cursor": ["page_token"], "offset": ["page_token"], "after": ["page_token"],
        "startingafter": ["page_token"], "nexttoken": ["page_token"], "continue": ["page_token"],
        "nextpagetoken": ["page_token"],
        "createdafter": ["created_from"], "since": ["created_from", "from"], "from": ["created_from"],
        "createdsince": ["created_from"], "start": ["from", "created_from"],
        "createdbefore": ["created_to"], "until": ["created_to", "to"], "before": ["created_to", "to"],
        "to": ["created_to"], "end": ["to", "created_to"],
        "finishedafter": ["finished_from"], "endedafter": ["finished_from"],
        "finishedbefore": ["finished_to"], "endedbefore": ["finished_to"],
        "status": ["state"], "states": ["state"], "sort": ["order_by"], "sortby": ["order_by"],
        "orderby": ["order_by"], "order": ["order_by"], "tag": ["label."], "tags": ["label."],
        "labels": ["label."], "kind": ["type", "waiting_on.kind"], "host": ["origin"],
        "waitingon": ["waiting_on.kind"], "waitingfor": ["waiting_on.kind"], "error": ["error.code"],
        "errorcode": ["error.code"], "code": ["error.code"], "partition": ["queue_key"],
        "q": ["name_prefix"], "search": ["name_prefix"], "prefix": ["name_prefix", "id_prefix"],
        "id": ["id_prefix", "job_id"], "job": ["job_id"], "fields": ["view"], "expand": ["view"],
        "callhost": ["host"], "domain": ["host"], "callmethod": ["method"], "verb": ["method"],
        "callstatus": ["status"], "httpstatus": ["status"], "statuscode": ["status"],
        "interval": ["step"], "bucket": ["step"], "resolution": ["step"], "granularity": ["step"],
        "period": ["step"], "result": ["outcome"],
        "groupby": ["by"], "dryrun": ["validate_only"], "check": ["validate_only"],
    ]

    private static let values: KeyValuePairs<String, [String]> = [
        "paused": ["held"], "onhold": ["held"], "suspended": ["held", "waiting"], "blocked": ["waiting"],
        "success": ["succeeded"], "successful": ["succeeded"], "completed": ["succeeded"],
        "complete": ["succeeded"], "done": ["succeeded"], "finished": ["succeeded"],
        "failure": ["failed"], "error": ["failed"], "errored": ["failed"], "dead": ["failed"],
        "discarded": ["failed"], "active": ["running"], "processing": ["running"], "executing": ["running"],
        "inprogress": ["running"], "started": ["running"], "delayed": ["scheduled"],
        "available": ["queued"], "enqueued": ["queued"], "ready": ["queued"], "retryable": ["retrying"],
        "aborted": ["cancelled"], "terminated": ["cancelled"], "revoked": ["cancelled"],
        "timedout": ["expired"], "mutex": ["lock"], "key": ["lock"], "delay": ["time"], "timer": ["time"],
        "host": ["origin"], "ratelimit": ["origin", "queue"], "event": ["signal"], "manual": ["approval"],
        "pending": ["open"], "undecided": ["open"], "accepted": ["approved", "started"],
        "denied": ["rejected", "refused"], "declined": ["rejected"], "rejected": ["refused"],
        "canceled": ["cancelled", "withdrawn"], "skipped": ["ignored"], "filtered": ["ignored"],
    ]
}
