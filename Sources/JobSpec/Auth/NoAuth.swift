internal import StrictJSON

/// No authentication, whatever the connection has.
struct NoAuth: AuthKind {
    static let name = "none"
    static let members: [any KindMember] = []

    static func read(_: JSONObject, _: SpecScope, _: inout SpecReading) -> NetworkSpec.Auth { .none }
}
