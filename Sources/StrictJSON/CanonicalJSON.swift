/// One byte form for each value, for fingerprints and signatures, in the spirit of RFC 8785.
///
/// No white space, members sorted by the UTF-16 code units of their names, strings with the fewest escapes,
/// numbers in ECMAScript's form. Unlike RFC 8785, numbers are not rounded to binary floating point first, so
/// two different numbers never share a form while their exponents stay within ±10^14; numbers of up to 15
/// significant digits look the same in both.
package enum CanonicalJSON {
    /// The canonical bytes of a value. Values that differ only in member order and number spelling share them.
    package static func encode(_ value: JSONValue) -> [UInt8] {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.bytes
    }

    private static func write(_ value: JSONValue, to writer: inout JSONWriter) {
        switch value {
        case .number(let number): writer.value(number.canonical)
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: &writer) }
            writer.endArray()
        case .object(let object):
            writer.beginObject()
            for member in object.members.sorted(by: { precedes($0.name, $1.name) }) {
                writer.name(member.name)
                write(member.value, to: &writer)
            }
            writer.endObject()
        case .null, .bool, .string: writer.value(value)
        }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf16.lexicographicallyPrecedes(right.utf16)
    }
}
