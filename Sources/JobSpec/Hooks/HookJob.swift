package import StrictJSON
internal import Synchronization

// DESIGN
// The spec of a hook's job is the same for each delivery, except for the values that it takes. So it is read once, and
// its text is written once: a delivery adds its values at the end. What was read is kept with the hook, which is read
// again whenever a setting changes.

/// The job that a hook makes of each delivery.
package final class HookJob: Sendable {
    /// The job as the hook says it.
    package let value: JSONValue
    private let kept = Mutex<Reading?>(nil)

    package init(_ value: JSONValue) { self.value = value }

    /// The reading that was kept; nil before the first.
    package var reading: Reading? { kept.withLock { $0 } }

    package func keep(_ reading: Reading) { kept.withLock { $0 = reading } }

    /// The job with the label of its hook.
    package func labelled(_ hook: String) -> JSONValue {
        guard case .object(var object) = value else { return value }
        var labels = object["labels"]?.object ?? JSONObject()
        labels[ReservedLabel.hook.rawValue] = .string(hook)
        object["labels"] = .object(labels)
        return .object(object)
    }

    /// Its spec without the values of a delivery.
    package struct Reading: Sendable {
        private let spec: JobSpec
        private let value: JSONValue
        /// The spec as JSON without its last brace.
        private let text: [UInt8]
        /// The places of a delivery that it takes values from.
        private let places: [(name: String, pointer: JSONPointer)]

        /// - Parameter value: the JSON that `spec` was read from.
        package init(_ spec: JobSpec, of value: JSONValue) {
            self.spec = spec
            self.value = value
            text = value.encoded().dropLast()
            var places: Set<ByteKey> = []
            Self.note(value, &places)
            self.places = places.sorted().compactMap { key in
                JSONPointer(key.text).map { (name: key.text, pointer: $0) }
            }
        }

        /// The spec for a delivery; nil when its text has more than `most` bytes.
        package func spec(for delivery: HookDelivery, upTo most: Int) -> Made? {
            let values = JSONObject(
                uniqueMembers: places.compactMap { name, pointer -> JSONObject.Member? in
                    guard let value = delivery.value(at: pointer) else { return nil }
                    return .init(name: name, value: value)
                })
            let room = most - text.count - 16
            guard let count = JSONValue.object(values).encodedCount(upTo: room) else { return nil }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count + count + 16)
            bytes += text
            var writer = JSONWriter(continuing: bytes, afterMember: true)
            writer.member(StoredSpec.delivery, values)
            writer.endObject()
            var spec = spec
            spec.delivery = values
            return Made(spec: spec, text: writer.bytes, values: values, value: value)
        }

        /// The spec of one job, as JSON in both forms.
        package struct Made {
            package let spec: JobSpec
            package let text: [UInt8]
            fileprivate let values: JSONObject
            fileprivate let value: JSONValue

            package var document: JSONValue {
                guard case .object(var object) = value else { return value }
                object[StoredSpec.delivery] = .object(values)
                return .object(object)
            }
        }

        /// Notes the places that a spec takes values from.
        private static func note(_ value: JSONValue, _ places: inout Set<ByteKey>) {
            switch value {
            case .object(let object):
                if object[BindingReader.Word.hook.rawValue] != nil {
                    let text = object["at"]?.string ?? ""
                    places.insert(ByteKey(JSONPointer(text)?.description ?? text))
                }
                for member in object.members { note(member.value, &places) }
            case .array(let list): for element in list { note(element, &places) }
            default: break
            }
        }
    }
}
