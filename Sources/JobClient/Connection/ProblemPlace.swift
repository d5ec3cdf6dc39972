import StrictJSON

/// The part of a request that one of the `errors` of a problem is about.
enum ProblemPlace {
    /// The pointer into the body, or the name of the query parameter or header field; empty for none.
    static func text(of item: JSONValue) -> String {
        for member in ["pointer", "parameter", "header"] {
            if let text = item.object?[member]?.string { return text }
        }
        return ""
    }
}
