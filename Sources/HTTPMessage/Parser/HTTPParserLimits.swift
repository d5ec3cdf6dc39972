/// The limits of the parts of a request.
package struct HTTPParserLimits: Sendable, Hashable {
    /// The size of request line and fields, with line ends. Beyond: 431. Default 32 KiB; at most 16 MiB.
    package var headBytesMax = 32 << 10
    /// The size of the request target. Beyond: 414. Default 8 KiB.
    package var targetBytesMax = 8 << 10
    /// The number of fields in a head. Beyond: 431. Default 100.
    package var fieldsMax = 100
    /// The size of the decoded body. Beyond: 413. Default 1 MiB.
    package var bodyBytesMax = 1 << 20
    /// The size of a chunk-size line with its extensions. Beyond: 400. Default 256 bytes.
    package var chunkLineBytesMax = 256
    /// The size of all chunk extensions of one body. Beyond: 400. Default 8 KiB.
    package var chunkExtensionBytesMax = 8 << 10
    /// The size of all trailer lines of one body. Beyond: 431. Default 8 KiB.
    package var trailerBytesMax = 8 << 10

    package init() {}

    /// The number of empty lines that are skipped before a request line (RFC 9112 §2.2).
    static let leadingEmptyLinesMax = 2
    static let methodBytesMax = 32
    /// The length of method, two spaces and version of the longest request line.
    static let requestLineExtraBytesMax = methodBytesMax + 11
}
