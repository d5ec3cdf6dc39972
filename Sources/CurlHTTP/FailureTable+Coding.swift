import HTTPMessage

/// Content that cannot be decoded.
extension FailureTable {
    static func coding(_ report: TransferReport) -> Entry? {
        let place = report.target.description
        let asItCame = "Look at the server, or ask for the content as it is, in its coding."
        switch report.codingFault {
        case nil, .refused: return nil
        case .truncated(let coding):
            return Entry(
                "body.truncated",
                "The content of \(place) ended inside its coding (\(coding)), so that a part is missing.",
                "Try again; if it persists, look at the server or a proxy in between.", .receive)
        case .trailing(let coding):
            return Entry(
                "body.encoding", "The content of \(place) continues after the end of its coding (\(coding)).",
                asItCame, .receive)
        case .damaged(let coding, let words):
            return Entry(
                "body.encoding", "The content of \(place) could not be unpacked (\(coding)): \(words).",
                asItCame, .receive)
        case .unknown(let coding):
            return Entry(
                "body.encoding",
                "The content of \(place) has the coding \(CallCheck.excerpt(coding)), which is not known here. "
                    + "Known are gzip, deflate, br and zstd.",
                asItCame, .receive)
        case .tooMany(let count):
            return Entry(
                "body.encoding", "The content of \(place) has \(count) codings; up to 5 are undone.",
                asItCame, .receive)
        case .expandsTooMuch:
            return Entry(
                "body.expansion", "The content of \(place) grows too much when it is unpacked.",
                "Ask for it unpacked, if the server is to be trusted with it.", .receive)
        case .transferIsCoded: return transferCoding(report)
        }
    }

    /// A transfer coding that was not asked for.
    static func transferCoding(_ report: TransferReport) -> Entry {
        Entry(
            "body.encoding",
            "The answer of \(report.target.description) has a transfer coding that was not asked for; only chunked is "
                + "undone.",
            "Look at the server, or a proxy in between: gzip and the like belong in its Content-Encoding.",
            .receive)
    }
}
