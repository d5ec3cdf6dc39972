/// The permission for one call. Its holder reports the outcome of the call, once.
struct OriginPass: Sendable, Hashable {
    let origin: String
    let isProbe: Bool
    /// The URL whose origin it is; nil when it was given for no URL in particular.
    var url: String?
}
