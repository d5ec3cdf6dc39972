internal import StrictJSON

/// The call says nothing about who makes it, whatever its connection says.
struct NoAuth: AuthKind {
    static let name = "none"
    static let members: [any KindMember] = []

    static func read(_: JSONObject, _: SpecScope, _: inout SpecReading) -> NetworkSpec.Auth { .none }
}
