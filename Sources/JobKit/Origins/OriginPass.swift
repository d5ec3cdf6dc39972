/// The right to make one call. Whoever has it says how the call ended, once.
struct OriginPass: Sendable, Hashable {
    let origin: String
    let isProbe: Bool
    /// The URL whose origin it is; nil when it was given for no URL in particular.
    var url: String?
}
