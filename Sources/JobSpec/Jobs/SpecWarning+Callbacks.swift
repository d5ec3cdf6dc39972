internal import JobKit
internal import StrictJSON

/// Warnings about callback URLs.
extension SpecWarning {
    /// Operations that wait for a request to a URL that nothing hands out.
    static func aboutCallbacks(_ entries: [SpecPlan.Entry]) -> [SpecWarning] {
        let waiting = entries.filter { ($0.operation.kind.work as? AwaitSpec)?.callback != nil }
        if waiting.isEmpty { return [] }
        var named: Set<ByteKey> = []
        for entry in entries {
            entry.operation.call?.visitReferences { reference in
                guard case .callback(let name) = reference.source else { return }
                let last = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
                named.insert(ByteKey(last ?? name))
            }
        }
        return waiting.filter { !named.contains(ByteKey($0.operation.name)) }.map { entry in
            SpecWarning(
                path: entry.path, code: "warning.callback_not_handed_out",
                detail:
                    "Nothing hands out its callback URL, so no request can come. Put "
                    + "{\"$callback\": \"\(entry.operation.name)\"} into the request that tells the sender.")
        }
    }
}
