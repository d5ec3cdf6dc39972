/// The limits of one JSON document. Every limit counts what is written in the document.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum of `depthMax`: the reader uses the stack for each level.
    public static let depthCeiling = 512

    /// The size of the document in bytes. Default 1 MiB.
    public var bytesMax: Int
    /// The nesting depth of objects and arrays, 1...512; higher values count as 512. Default 64.
    public var depthMax: Int
    /// The total number of members of objects and elements of arrays. Default 100,000.
    public var membersMax: Int
    /// The length of one number in bytes. Default 64.
    public var numberBytesMax: Int

    /// The limits of a document that this program wrote itself: its size is known, and nothing else is limited.
    package static func written(_ bytes: [UInt8]) -> JSONLimits {
        JSONLimits(
            bytesMax: bytes.count, depthMax: depthCeiling, membersMax: .max, numberBytesMax: bytes.count)
    }

    /// Creates limits; each omitted argument has its default.
    public init(
        bytesMax: Int = 1 << 20, depthMax: Int = 64, membersMax: Int = 100_000, numberBytesMax: Int = 64
    ) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.membersMax = membersMax
        self.numberBytesMax = numberBytesMax
    }
}
