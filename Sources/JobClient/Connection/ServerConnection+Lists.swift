internal import Commands
internal import HTTPMessage
internal import StrictJSON

extension ServerConnection {
    /// Reads the items of a list, page by page.
    /// - Parameters:
    ///   - path: may have parameters.
    ///   - query: more parameters, besides those of the page.
    ///   - limit: the maximum number of items.
    ///   - pageMax: the maximum number of items of one page.
    func readItems(
        _ path: String, _ query: [String] = [], limit: Int, pageMax: Int = 200,
        _ take: (JSONValue) throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        var left = limit
        var token: String?
        repeat {
            var words = query + ["page_size=\(min(left, pageMax))"]
            if let token { words.append("page_token=\(PercentCoding.encode(token, for: .queryPart))") }
            let sign = path.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            let answer = try await read(ServerRequest("\(path)\(sign)" + words.joined(separator: "&")))
            let page = try answer.json(address).object
            let items = page?["items"]?.array ?? []
            for item in items.prefix(left) { try take(item) }
            left -= items.count
            token = page?["next_page_token"]?.string
        } while left > 0 && token != nil
    }
}
