/// How much one JSON document may ask of the reader. Every limit counts what is written in the document.
public struct JSONLimits: Sendable, Hashable {
    /// The deepest nesting that any setting of `depthMax` allows: the reader uses the stack for each level.
    public static let depthCeiling = 512

    /// Bytes in the whole document. Default 1 MiB.
    public var bytesMax: Int
    /// Levels of objects and arrays inside each other, 1...512; higher values count as 512. Default 64.
    public var depthMax: Int
    /// Members of objects and elements of arrays in the whole document together. Default 100,000.
    public var membersMax: Int
    /// Bytes in the text of one number. Default 64.
    public var numberBytesMax: Int

    /// Limits; each argument left out has its default.
    public init(
        bytesMax: Int = 1 << 20, depthMax: Int = 64, membersMax: Int = 100_000, numberBytesMax: Int = 64
    ) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.membersMax = membersMax
        self.numberBytesMax = numberBytesMax
    }
}
