// Invariants for every sequence of bytes:
// - the parser never traps, hangs or reads out of bounds, with any limits;
// - accepted text has no repeated name, and is the same value after a round trip;
// - refused text has an error inside the document, at a sensible position;
// - an array is split into slices that are its elements, and a member is found at the position of its value.

/// One trial, called by libFuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func tryOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    do {
        checkAccepted(try JSONParser.parse(bytes))
    } catch {
        checkRefused(error, bytes)
    }
    checkPieces(bytes)
    checkSmallLimits(bytes)
    checkLeafTexts(String(decoding: bytes.prefix(200), as: UTF8.self))
    return 0
}

private func checkPieces(_ bytes: [UInt8]) {
    let pieces = try? JSONArraySlices.split(bytes, countMax: .max)
    let name = Array("a".utf8)
    let place = JSONMemberText.range(of: name, in: bytes)
    switch try? JSONParser.parse(bytes) {
    case .array(let elements):
        let read = pieces?.map { try? JSONParser.parse(Array($0)) }
        precondition(read == elements, "the pieces of an array")
    case .object(let object):
        guard let place else { return }
        let read = try? JSONParser.parse(Array(bytes[place]))
        precondition(read == object["a"], "the place of a member")
    default: break
    }
}

private func checkAccepted(_ value: JSONValue) {
    checkUniqueNames(value)
    let generous = JSONLimits(bytesMax: .max, numberBytesMax: .max)
    precondition(
        (try? JSONParser.parse(value.encoded(), limits: generous)) == value, "written and read again")
    precondition((try? JSONParser.parse(value.encoded(indent: 1), limits: generous)) == value, "indented")
    let canonical = CanonicalJSON.encode(value)
    guard let again = try? JSONParser.parse(canonical, limits: generous) else {
        preconditionFailure("the canonical form is not JSON")
    }
    precondition(CanonicalJSON.encode(again) == canonical, "the canonical form has another canonical form")
}

private func checkUniqueNames(_ value: JSONValue) {
    switch value {
    case .array(let elements):
        for element in elements { checkUniqueNames(element) }
    case .object(let object):
        let names = Set(object.members.map { Array($0.name.utf8) })
        precondition(names.count == object.count, "a repeated name was accepted")
        for member in object.members { checkUniqueNames(member.value) }
    case .number(let number):
        checkNumber(number)
    case .null, .bool, .string: break
    }
}

private func checkNumber(_ number: JSONNumber) {
    precondition(JSONNumber(text: number.text) == number, "a number is not made from its own text")
    precondition(number.isNumericallyEqual(to: number) && !number.isLess(than: number), "a number and itself")
    if let whole = number.int64 {
        precondition(number.isInteger, "a whole number is not whole")
        precondition(JSONNumber(whole).isNumericallyEqual(to: number), "a whole number changed its value")
    }
    if let real = number.double, let rounded = JSONNumber(real) {
        precondition(rounded.double == real, "a double changed its value")
    }
}

private func checkRefused(_ error: JSONParseError, _ bytes: [UInt8]) {
    precondition((0...bytes.count).contains(error.offset), "the place is outside the document")
    precondition(error.line >= 1 && error.column >= 1, "lines and columns start at 1")
    precondition(
        error.line <= bytes.count + 1 && error.column <= bytes.count + 1, "too far to the right or down")
    precondition(!error.detail.isEmpty && error.detail.utf8.count < 1000, "the sentence has no fair length")
    precondition(JSONPointer(error.pointer.description) == error.pointer, "the pointer is not its own text")
}

private func checkSmallLimits(_ bytes: [UInt8]) {
    let limits = JSONLimits(bytesMax: 64, depthMax: 3, membersMax: 5, numberBytesMax: 4)
    do {
        _ = try JSONParser.parse(bytes, limits: limits)
        precondition(bytes.count <= 64, "the size limit did not hold")
    } catch {
        checkRefused(error, bytes)
    }
}

private func checkLeafTexts(_ text: String) {
    if let pointer = JSONPointer(text) {
        precondition(pointer.description == text, "a pointer changed its text")
        _ = pointer.resolve(in: [["a": [1]]])
    }
    let suggestion = SpellingSuggestion.nearest(to: text, in: ["type", "name", "max_attempts"])
    precondition(
        suggestion == nil || text.unicodeScalars.count <= 64, "a suggestion for a text that is no name")
}
