import DurableJobs
import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// The `Idempotency-Key` field: a repeated submission finds the job that the first one created.
enum IdempotencyKey {
    /// The idempotency claim of a request; nil when it carries no key.
    /// - Throws: `.invalidHeader` for a key that is empty, too long, repeated or not printable ASCII.
    static func claim(in context: RequestContext) throws(Problem) -> IdempotencyClaim? {
        try key(in: context).map { claim($0, in: context, document: nil) }
    }

    /// The claim of a request with a key.
    /// - Parameter document: the JSON of its body; nil when that is not parsed yet, or no JSON.
    static func claim(
        _ key: String, in context: RequestContext, document: JSONValue?
    ) -> IdempotencyClaim {
        let body = context.request.body
        // Without the whitespace and the order of members of its JSON.
        let canonical = (document ?? (try? JSONParser.parse(body))).map { CanonicalJSON.encode($0) } ?? body
        return IdempotencyClaim(
            key: key, of: context.caller.name,
            for: [
                Array(context.request.head.method.description.utf8), [0x20], Array(context.path), [0],
                canonical,
            ], now: context.startedAt)
    }

    /// The key of a request; nil when it carries none.
    /// - Throws: `.invalidHeader` for a key that is empty, too long, repeated or not printable ASCII.
    static func key(in context: RequestContext) throws(Problem) -> String? {
        let head = context.request.head
        guard let value = head.fields.first("idempotency-key") else { return nil }
        guard head.fields.all("idempotency-key").count == 1, let key = key(in: value) else {
            throw Problem(
                header: "Idempotency-Key",
                "Idempotency-Key must be given once, with 1 to \(IdempotencyClaim.bytesMax) printable ASCII characters, "
                    + "quoted or bare.")
        }
        return key
    }

    /// Refuses a key where it is not honoured.
    /// - Parameter once: the remedy.
    static func refuse(in head: HTTPRequestHead, _ once: String) throws(Problem) {
        guard head.fields.contains("idempotency-key") else { return }
        throw Problem(
            header: "Idempotency-Key",
            "Idempotency-Key is not honoured here, so nothing was done. \(once) Then send it without the field."
        )
    }

    /// The claim of one job of a batch: the request's claim with the job's number.
    static func part(_ number: Int, of claim: IdempotencyClaim) -> IdempotencyClaim {
        var part = claim
        part.key += "\u{0}\(number)"
        return part
    }

    /// The key between the quotes, or the bare value.
    static func key(in value: ArraySlice<UInt8>) -> String? {
        var bytes = value
        if bytes.first == 0x22 {
            guard bytes.count >= 2, bytes.last == 0x22 else { return nil }
            bytes = bytes.dropFirst().dropLast()
        }
        guard IdempotencyClaim.isKey(bytes) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
