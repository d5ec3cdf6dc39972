internal import JobKit
package import StrictJSON

/// An effective setting: its value and its source.
package struct EffectiveSetting: Sendable, Hashable {
    /// The name in specs: `timeouts.attempt`, `retry.max_attempts`.
    package let name: String
    /// The value in the form of the spec; null for a disabled setting, such as a timeout without limit.
    package let value: JSONValue
    /// The source of the value.
    package let source: SettingSource

    init(_ name: String, _ value: JSONValue, _ source: SettingSource?) {
        self.name = name
        self.value = value
        self.source = source ?? .default
    }

    /// The last part of the name.
    var shortName: String { name.split(separator: ".").last.map(String.init) ?? name }

    /// Writes settings as an object by the last part of their names.
    static func write(_ settings: [EffectiveSetting], to writer: inout JSONWriter) {
        writer.beginObject()
        for setting in settings { setting.writeMember(to: &writer) }
        writer.endObject()
    }

    func writeMember(to writer: inout JSONWriter) {
        writer.name(shortName)
        writer.beginObject()
        writer.member("value", value)
        writer.member("source", source.rawValue)
        writer.endObject()
    }
}

extension OperationSpec {
    /// The timeouts that apply to it, in the order in which they begin.
    func effectiveTimeouts() -> [EffectiveSetting] {
        var found: [EffectiveSetting] = []
        func add(_ name: String, _ length: Duration?) {
            let name = "timeouts." + name
            let value = length.map { JSONValue.string(DurationText.text($0)) } ?? .null
            found.append(EffectiveSetting(name, value, sources[name]))
        }
        if let call {
            add("connect", call.connectTimeout)
            add("first_byte", call.firstByteTimeout)
            add("stall", call.stallTimeout)
            add("attempt", call.attemptTimeout)
        }
        add("total", timeout)
        return found
    }

    /// The retry policy; empty for an operation that is never retried.
    func effectiveRetry() -> [EffectiveSetting] {
        guard let rule = retry ?? (call != nil ? .standard : nil) else { return [] }
        return rule.members.map {
            EffectiveSetting("retry." + $0.name, $0.value, sources["retry." + $0.name])
        }
    }
}

extension JobSpec {
    /// The number of operations that are listed in `effective`.
    private static let effectiveEntriesMax = 200

    /// Writes all effective settings of the job, with their sources, as one object.
    package func writeEffective(to writer: inout JSONWriter) {
        writer.beginObject()
        EffectiveSetting("queue", .string(queue), sources["queue"]).writeMember(to: &writer)
        EffectiveSetting("priority", .number(JSONNumber(Int64(priority))), sources["priority"])
            .writeMember(to: &writer)
        writer.name("operations")
        writer.beginArray()
        for entry in SpecPlan(self).operations.prefix(Self.effectiveEntriesMax) {
            writer.beginObject()
            writer.member("operation", OperationAddress.text(of: entry.path.dropFirst()))
            writer.name("timeouts")
            EffectiveSetting.write(entry.operation.effectiveTimeouts(), to: &writer)
            let retry = entry.operation.effectiveRetry()
            if !retry.isEmpty {
                writer.name("retry")
                EffectiveSetting.write(retry, to: &writer)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
