internal import StrictJSON

/// A text for a shell in which values are missing: bytes, and variables for what is not known yet. No byte can pose as
/// a variable.
struct ShellText: Sendable, Hashable {
    /// A part of the text.
    enum Part: Sendable, Hashable {
        case bytes([UInt8])
        case variable(ShellVariable)
    }

    /// The parts; no two neighbours are bytes, and none is empty.
    private(set) var parts: [Part] = []

    init() {}

    init(_ text: String) { append(text.utf8) }

    /// Whether it has neither bytes nor variables.
    var isEmpty: Bool { parts.isEmpty }

    /// The bytes; nil when there are variables.
    var bytes: [UInt8]? {
        switch (parts.count, parts.first) {
        case (0, _): []
        case (1, .bytes(let bytes)): bytes
        default: nil
        }
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty else { return }
        guard case .bytes(var known)? = parts.last else { return parts.append(.bytes(Array(bytes))) }
        parts.removeLast()
        known += bytes
        parts.append(.bytes(known))
    }

    mutating func append(_ variable: ShellVariable) { parts.append(.variable(variable)) }

    static func + (left: ShellText, right: ShellText) -> ShellText {
        var text = left
        for part in right.parts {
            switch part {
            case .bytes(let bytes): text.append(bytes)
            case .variable(let variable): text.append(variable)
            }
        }
        return text
    }

    /// The text with other bytes; the variables stay.
    func mapBytes(_ change: ([UInt8]) -> [UInt8]) -> ShellText {
        var text = ShellText()
        for part in parts {
            switch part {
            case .bytes(let bytes): text.append(change(bytes))
            case .variable(let variable): text.append(variable)
            }
        }
        return text
    }
}

/// A shell variable for a value that is not known yet.
struct ShellVariable: Sendable, Hashable {
    /// Capital letters, digits and `_`, after `V_`: no variable of a shell and none of its environment has such a name,
    /// so that no line sends what it finds there.
    let name: String

    /// A variable whose name is made of words.
    init(_ words: [String]) {
        var name = Array("V_".utf8)
        for byte in words.joined(separator: "_").utf8.prefix(100) {
            let capital = byte &- 0x61 < 26 ? byte &- 0x20 : byte
            let isPlain = capital &- 0x41 < 26 || capital &- 0x30 < 10
            name.append(isPlain ? capital : 0x5F)
        }
        self.name = String(decoding: name, as: UTF8.self)
    }

    /// A variable with a number at the end of its name.
    func numbered(_ number: Int) -> ShellVariable { ShellVariable(name: "\(name)_\(number)") }

    private init(name: String) { self.name = name }

    /// The words of a name for a reference.
    static func words(_ reference: Binding.Reference) -> [String] {
        let words: [String] =
            switch reference.source {
            case .operation(let name): [name]
            case .item(let name): [name ?? "item"]
            case .previous(let name): ["previous", name ?? ""].filter { !$0.isEmpty }
            case .hook: ["hook"]
            case .parameter(let name): [name]
            case .job(let fact): ["job", fact.rawValue]
            case .secret(let name): [name]
            case .callback(let name): ["callback", name]
            }
        return words + reference.at.tokens
    }
}
