internal import StrictJSON

/// A kind of `auth`: how a call identifies itself.
protocol AuthKind: SpecKind {
    /// Reads the members. `type`, the names of all others and that the required ones are there is checked already.
    /// - Returns: `none` when nothing can be made of them, which has been noted then.
    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
}
