/// The right to make one call. Whoever has it says how the call ended, once.
struct OriginPass: Sendable, Hashable {
    let origin: String
    let isProbe: Bool
}
