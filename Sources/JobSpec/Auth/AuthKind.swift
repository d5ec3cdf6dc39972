internal import StrictJSON

/// A kind of `auth`: the authentication of a call.
protocol AuthKind: SpecKind {
    /// Reads the members. `type`, the names of the others and the presence of the required ones have been checked.
    /// - Returns: `none` when they are invalid, which has been reported then.
    static func read(_ object: JSONObject, _ scope: SpecScope, _ reading: inout SpecReading)
        -> NetworkSpec.Auth
}
