/// How much of each part of a request the parser takes before it refuses.
public struct HTTPParserLimits: Sendable, Hashable {
    /// Request line and fields together, with line ends. Beyond: 431. Default 32 KiB; at most 16 MiB counts.
    public var headBytesMax = 32 << 10
    /// The request target. Beyond: 414. Default 8 KiB.
    public var targetBytesMax = 8 << 10
    /// The number of fields in a head. Beyond: 431. Default 100.
    public var fieldsMax = 100
    /// The body without its chunking. Beyond: 413. Default 1 MiB.
    public var bodyBytesMax = 1 << 20
    /// One chunk-size line with its extensions. Beyond: 400. Default 256 bytes.
    public var chunkLineBytesMax = 256
    /// All chunk extensions of one body. Beyond: 400. Default 8 KiB.
    public var chunkExtensionBytesMax = 8 << 10
    /// All trailer lines of one body. Beyond: 431. Default 8 KiB.
    public var trailerBytesMax = 8 << 10

    /// The defaults.
    public init() {}

    /// Empty lines before a request line that are passed over (RFC 9112 §2.2).
    static let leadingEmptyLinesMax = 2
    /// The longest method.
    static let methodBytesMax = 32
    /// Method, two spaces and version of the longest request line.
    static let requestLineExtraBytesMax = methodBytesMax + 11
}
