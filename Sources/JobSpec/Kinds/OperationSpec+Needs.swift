extension OperationSpec {
    /// Whether something in it is of a kind that is neither built in nor among `kinds`.
    package func needsMore(than kinds: OperationKinds) -> Bool {
        if kind.work.isCustom, kinds[kind.type] == nil { return true }
        return kind.work.inner.contains { $0.needsMore(than: kinds) }
            || kind.work.finals.contains { $0.needsMore(than: kinds) }
            || kind.work.copied.map { $0.needsMore(than: kinds) } ?? false
    }
}
