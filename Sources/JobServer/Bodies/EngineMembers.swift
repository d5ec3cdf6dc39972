import JobRunner
import StrictJSON

enum EngineMembers {
    /// The bytes of one member's value; nil when it is absent.
    static func value(_ name: String, in detail: [UInt8]) -> [UInt8]? {
        JobDetail.members(of: detail)[name]?.encoded()
    }
}
