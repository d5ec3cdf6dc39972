/// Limits of the run of one job. The error of an exceeded limit names it.
package struct RunLimits: Sendable, Hashable {
    /// Operations in one job while it runs: those of its spec, the members of its maps and the runs of its repeats,
    /// each with all that it holds. Default 40,000.
    package var operationsMax = 40_000
    /// Bytes of the results, and of the lists of maps, that one job keeps in memory. Content in files does not count.
    /// Default 256 MiB.
    package var bytesMax = 256 << 20
    /// Lines of one part of a map over lines, which are in memory with their members. Default 1,000.
    package var partLines = 1_000
    /// Parts of one map over lines whose members stay in the journal. With more, a part is forgotten when it has
    /// succeeded. Default 10.
    package var partsShown = 10
    /// Steps of one evaluation of predicates, values or a request: bytes read, comparisons, steps of patterns. Default
    /// a thousand million, which take some seconds.
    package var evaluationSteps = 1_000_000_000

    /// The maximum size of one composed value: 8 MiB.
    package static let valueBytesMax = 8 << 20
    /// Bytes of the content of one request that is put together of several parts: 32 MiB.
    package static let contentBytesMax = 32 << 20
    /// The maximum size of values inserted into one URL: 64 KiB.
    package static let urlBytesMax = 64 << 10
    /// The maximum size of values inserted into one request field: 64 KiB.
    package static let fieldBytesMax = 64 << 10

    /// The published limits.
    package static let standard = RunLimits()

    /// The published limits, to be changed one by one.
    package init() {}
}
