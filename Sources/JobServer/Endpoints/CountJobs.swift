import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs:count`: the number of jobs that match filters, in groups. Read off the loop.
enum CountJobs {
    /// The maximum number of jobs that are examined; beyond it the count is a lower bound.
    static let examinedMax = 100_000
    /// The maximum number of groups in an answer.
    private static let groupsMax = 1_000

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let keys = keys(query.list("by"), &query)
        var written: [(name: String, value: String)] = []
        let wanted = ListFilter.query(&query, &written)
        try query.finish()
        // The store keeps these counts.
        if context.tenant == nil, written.isEmpty, keys.isEmpty || keys == [.state] {
            let counts = context.server.store.counts().filter { $0.value > 0 }
            let groups = counts.map { JobCount.Group(values: [$0.key.rawValue], count: $0.value) }
            return answer(context, JobCount(groups: groups, isLowerBound: false), keys)
        }
        try context.onReaderThread { reader throws(Problem) in
            let count = try stored(reader.count(wanted, by: keys, examinedMax: examinedMax))
            answer(context, count, keys)
        }
    }

    private static func keys(_ text: String?, _ query: inout QueryReader) -> [JobCount.Key] {
        guard let text else { return [] }
        var keys: [JobCount.Key] = []
        let known = JobCount.Key.allCases.map(\.rawValue)
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let key = JobCount.Key(rawValue: String(word)), !keys.contains(key) else {
                query.add(
                    "by", code: "query.value",
                    detail:
                        "by must be one or more of \(known.joined(separator: ", ")), each once, with commas between",
                    suggestion: SpellingSuggestion.nearest(to: String(word), in: known))
                continue
            }
            keys.append(key)
        }
        return keys
    }

    private static func answer(_ context: RequestContext, _ count: JobCount, _ keys: [JobCount.Key]) {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.member("count", count.total)
        json.member("lower_bound", count.isLowerBound)
        if !keys.isEmpty {
            json.name("groups")
            json.beginArray()
            for group in count.groups.prefix(groupsMax) {
                json.beginObject()
                for (key, value) in zip(keys, group.values) { json.member(key.rawValue, value) }
                json.member("count", group.count)
                json.endObject()
            }
            json.endArray()
            let others = count.groups.dropFirst(groupsMax).count
            if others > 0 { json.member("further_groups", others) }
        }
        json.endObject()
        context.answer(.ok, json: json.line())
    }
}
