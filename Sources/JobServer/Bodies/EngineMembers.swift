import StrictJSON

/// The members that the engine writes into a job's representation.
enum EngineMembers {
    /// The bytes of one member's value, or nil when there is none.
    static func value(_ name: String, in detail: [UInt8]) -> [UInt8]? {
        guard !detail.isEmpty else { return nil }
        let limits = JSONLimits(bytesMax: detail.count + 2)
        guard let value = try? JSONParser.parse([0x7B] + detail + [0x7D], limits: limits) else { return nil }
        return value.object?[name].map { $0.encoded() }
    }
}
