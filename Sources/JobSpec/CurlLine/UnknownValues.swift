internal import JobKit
internal import StrictJSON
internal import Synchronization

/// The values of a call that are not known yet, and the shell variables for them.
///
/// A call is made twice, with two stand-ins for each value that differ in their first and last byte. What is the same
/// in both is text of the job, and what differs is a variable: no text can pose as one, whatever it contains.
final class UnknownValues: Sendable {
    fileprivate struct Known {
        var variables: [ShellVariable] = []
        var references: [Binding.Reference] = []
        var numbers: [[UInt8]: Int] = [:]
        /// The variables with a name, which differ in a number at the end.
        var counts: [String: Int] = [:]
        var names: Set<String> = []
    }

    private let known = Mutex(Known())

    /// The variables so far, by name.
    var found: [(name: String, reference: Binding.Reference)] {
        let known = known.withLock { $0 }
        return zip(known.variables, known.references).map { (name: $0.name, reference: $1) }
            .sorted { $0.name < $1.name }
    }

    /// The results of `make` with both stand-ins.
    func twice<Made>(
        _ make: (Binding.Lookup) throws(AOperationError) -> Made
    ) throws(AOperationError) -> (one: Made, other: Made) {
        let one = try make(Binding.Lookup { reference in self.standIn(StandIn.first, reference) })
        return (one, try make(Binding.Lookup { reference in self.standIn(StandIn.second, reference) }))
    }

    /// The text that `make` gives, with variables for values that are not known.
    /// - Throws: also when only a part of such a value is used.
    func text(
        _ make: (Binding.Lookup) throws(AOperationError) -> String
    ) throws(AOperationError) -> ShellText {
        let (one, other) = try twice(make)
        return try text(one.utf8, other.utf8)
    }

    /// The text that was made with both stand-ins.
    /// - Throws: when only a part of a value that is not known is used.
    func text(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) throws(AOperationError) -> ShellText {
        let (one, other) = (Array(one), Array(other))
        let variables = known.withLock { $0.variables }
        var text = ShellText()
        var begin = 0
        var index = 0
        while index < one.count, one.count == other.count {
            if one[index] == other[index] {
                index += 1
                continue
            }
            guard let number = StandIn.number(in: one, and: other, at: index), number < variables.count else {
                break
            }
            text.append(one[begin..<index])
            text.append(variables[number])
            index += StandIn.length
            begin = index
        }
        guard index == one.count, one.count == other.count else {
            throw AOperationError(
                .templateInvalid,
                detail: "It uses a part of a value that is known only when the job runs.")
        }
        text.append(one[begin...])
        return text
    }

    private func standIn(_ initial: UInt8, _ reference: Binding.Reference) -> JSONValue {
        let number = known.withLock { known in
            let key = reference.bytes
            if let number = known.numbers[key] { return number }
            let number = known.variables.count
            known.numbers[key] = number
            known.variables.append(known.variable(for: reference))
            known.references.append(reference)
            return number
        }
        return .string(StandIn.text(initial, number))
    }
}

extension UnknownValues.Known {
    fileprivate mutating func variable(for reference: Binding.Reference) -> ShellVariable {
        let plain = ShellVariable(ShellVariable.words(reference))
        var variable = plain
        while !names.insert(variable.name).inserted {
            let count = counts[plain.name, default: 1] + 1
            counts[plain.name] = count
            variable = plain.numbered(count)
        }
        return variable
    }
}

/// A text in place of a value: bytes that stay the same in URLs, fields, forms and JSON, and that are no base 64. Its
/// first and last byte are `y` in one making of the call and `z` in the other.
private enum StandIn {
    static let first = UInt8(ascii: "y")
    static let second = UInt8(ascii: "z")
    static let length = 11

    static func text(_ end: UInt8, _ number: Int) -> String {
        let letter = Character(Unicode.Scalar(end))
        return "\(letter)-\(String(10_000_000 + number).dropFirst())-\(letter)"
    }

    /// The number of the stand-in that begins at a position; nil when there is none in both.
    static func number(in one: [UInt8], and other: [UInt8], at index: Int) -> Int? {
        let last = index + length - 1
        guard last < one.count, one[index] == first, other[index] == second, one[last] == first,
            other[last] == second, one[index + 1..<last].elementsEqual(other[index + 1..<last]),
            one[index + 1] == 0x2D, one[last - 1] == 0x2D
        else { return nil }
        var number = 0
        for byte in one[index + 2..<last - 1] {
            guard byte &- 0x30 < 10 else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }
}

extension Binding.Reference {
    /// Different for references that differ in a byte.
    fileprivate var bytes: [UInt8] {
        let (kind, name) =
            switch source {
            case .operation(let name): ("operation", name)
            case .item(let name): (name == nil ? "item" : "item of", name ?? "")
            case .previous(let name): (name == nil ? "previous" : "previous of", name ?? "")
            case .hook: ("hook", "")
            case .parameter(let name): ("parameter", name)
            case .job(let fact): ("job", fact.rawValue)
            case .secret(let name): ("secret", name)
            case .callback(let name): ("callback", name)
            }
        var bytes: [UInt8] = []
        for word in [kind, name] + at.tokens {
            bytes += word.utf8
            // No part of a text.
            bytes.append(0xFF)
        }
        if let fallback { bytes += [0xFE] + fallback.encoded() }
        return bytes
    }
}
