import HTTPMessage

/// A page for a person who opened the callback URL of an operation in a browser.
enum PersonPage {
    /// Whether an answer at this path is for a person: the client prefers a page.
    static func isWanted(by head: HTTPRequestHead, at path: ArraySlice<UInt8>) -> Bool {
        CallbackPath.has(path) && ((try? Negotiation.prefers("text/html", in: head.fields)) ?? false)
    }

    /// A page with a title and content, which is HTML.
    static func response(_ status: HTTPStatus, _ title: String, _ content: String) -> HTTPResponse {
        let html = """
            <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title>\
            <meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"></head>\
            <body><h1>\(title)</h1>\(content)</body></html>

            """
        let fields: HTTPFields = [
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
                "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
            "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
        ]
        return HTTPResponse(status: status, fields: fields, body: .bytes(Array(html.utf8)))
    }

    /// The page in place of a problem document, with its status and fields.
    static func response(to problem: Problem, requestID: String) -> HTTPResponse {
        let entry = ProblemCatalog.entry(problem.kind)
        let (title, text) = words(for: problem.kind, entry)
        var page = response(
            HTTPStatus(entry.status), title, "<p>\(text)</p><p><small>\(escaped(requestID))</small></p>")
        for field in problem.fields { page.fields.add(field.name, field.value) }
        if entry.retryable, page.fields["Retry-After"] == nil { page.fields.add("Retry-After", "1") }
        page.requestID = requestID
        return page
    }

    private static func words(
        for kind: ProblemKind, _ entry: ProblemEntry
    ) -> (title: String, text: String) {
        let asks = "Ask the sender of the link whether there is anything left to do."
        return switch kind {
        case .callbackNotFound, .notFound:
            (
                "Unknown link",
                "The link is not complete, or what it was for is erased. Open it again from where you got it, "
                    + "or ask its sender for a new one."
            )
        case .callbackTaken:
            ("Answered before", "It was answered already. Nothing was changed. \(asks)")
        case .callbackOver:
            ("Too late", "The time to answer is over, or the answer is no longer needed. \(asks)")
        case .methodNotAllowed:
            ("Not for browsers", "This address is for programs, and opening it does nothing.")
        // It may have been taken before the server failed.
        case _ where entry.status >= 500:
            ("Not now", "Open the link again in a minute to see whether it was taken.")
        case _ where entry.retryable:
            ("Not now", "The server is busy. Nothing was changed. Try again in a minute.")
        default: ("Not accepted", "The server did not accept this. Nothing was changed. \(asks)")
        }
    }

    /// A text without the characters of HTML.
    static func escaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
