import JobRunner
import StrictJSON

/// The members that the engine writes into a job's representation.
enum EngineMembers {
    /// The bytes of one member's value, or nil when there is none.
    static func value(_ name: String, in detail: [UInt8]) -> [UInt8]? {
        JobDetail.members(of: detail)[name]?.encoded()
    }
}
