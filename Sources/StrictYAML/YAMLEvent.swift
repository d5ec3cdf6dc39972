/// A part of a text, as the parser finds it.
struct YAMLEvent {
    enum Kind: Equatable {
        case documentStart
        case documentEnd
        case sequenceStart
        case sequenceEnd
        case mappingStart
        case mappingEnd
        /// - Parameter isPlain: whether it has no quotation marks and is no block: its text decides about its type.
        case scalar(String, isPlain: Bool)
        case alias(String)
    }

    let kind: Kind
    /// The name that aliases refer to.
    var anchor: String?
    /// The number of the line, from 1.
    let line: Int
}
