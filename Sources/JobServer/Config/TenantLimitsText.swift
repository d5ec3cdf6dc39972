import JobKit
import JobSpec
import JobStore

/// The limits of a tenant as a flag has them: `acme:rate=10/s,unfinished=1000,artifacts=10GiB`.
enum TenantLimitsText {
    /// The name that stands for all tenants without limits of their own.
    static let others = "*"

    /// Nil when the text has another form.
    static func read(_ text: String) -> (name: String, limits: TenantLimits)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0] == others || JobSpecReader.isName(String(parts[0])) else {
            return nil
        }
        var limits = TenantLimits()
        for word in parts[1].split(separator: ",", omittingEmptySubsequences: false) {
            let pair = word.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            switch pair[0] {
            case "rate": limits.rate = rate(pair[1])
            case "unfinished": limits.unfinishedMax = Int(pair[1]).flatMap { $0 > 0 ? $0 : nil }
            case "artifacts":
                limits.artifactBytesMax = ByteSizeText.parse(pair[1]).flatMap { $0 > 0 ? $0 : nil }
            default: return nil
            }
            let isRead = [
                "rate": limits.rate != nil, "unfinished": limits.unfinishedMax != nil,
                "artifacts": limits.artifactBytesMax != nil,
            ]
            guard isRead[String(pair[0])] == true else { return nil }
        }
        return (String(parts[0]), limits)
    }

    private static func rate(_ text: Substring) -> RateLimit? {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000).contains(count) else { return nil }
        let times: [Substring: Duration] = ["s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600)]
        return times[parts[1]].map { RateLimit(count: count, per: $0, burst: count) }
    }
}
