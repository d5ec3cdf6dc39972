import JobKit

extension [JobDetail.WaitingOperation] {
    /// The number of waits that a suspended job shows, and of further ones that are kept since lists and streams are
    /// filtered by them: one for each kind, and one for each origin, of at most this many.
    private static let shownMax = 20
    private static let othersMax = 100

    /// The waits to keep of those of all operations, in their order.
    package init(keptOf all: some Sequence<JobDetail.WaitingOperation>) {
        self = []
        var kinds = WaitKinds()
        var origins: Set<[UInt8]> = []
        for wait in all {
            let kind = WaitKinds([wait])
            let isNewKind = !kinds.isSuperset(of: kind)
            let origin = wait.wait.reason == .origin ? wait.wait.key.map { Array<UInt8>($0.utf8) } : nil
            let isNewOrigin = origin.map { !origins.contains($0) } ?? false
            guard count < Self.shownMax || isNewKind || (isNewOrigin && origins.count < Self.othersMax) else {
                continue
            }
            append(wait)
            kinds.formUnion(kind)
            if let origin { origins.insert(origin) }
        }
    }
}
