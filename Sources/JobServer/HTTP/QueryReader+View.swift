import StrictJSON

extension QueryReader {
    /// Takes `view`, which is `summary` or `full`: whether it is `full`.
    mutating func isFullView() -> Bool {
        let view = text("view") ?? "summary"
        if view != "full" && view != "summary" {
            add(
                "view", code: "query.value", detail: "view must be summary or full",
                suggestion: SpellingSuggestion.nearest(to: view, in: ["summary", "full"]))
        }
        return view == "full"
    }
}
