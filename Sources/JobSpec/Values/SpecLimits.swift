internal import StrictJSON

/// The limits of one job spec. Every limit is named in the problem that it causes.
package struct SpecLimits: Sendable, Hashable {
    /// Bytes of the whole spec. Default 1 MiB.
    package var bytesMax = 1 << 20
    /// Levels of objects and arrays inside each other. Default 64.
    package var jsonDepthMax = 64
    /// Operations in the whole job, groups included. Default 1,000.
    package var operationsMax = 1_000
    /// Groups inside each other. Default 16.
    package var groupDepthMax = 16
    /// Conditions inside each other, and predicates inside each other. Default 16.
    package var nestingMax = 16
    /// Problems that are reported at once. Default 100.
    package var problemsMax = 100
    /// Bytes of the problems that are reported at once, with their pointers. The first is reported in any case. Default
    /// 256 KiB.
    package var problemBytesMax = 256 << 10
    /// Steps to find out which names are meant, for all problems together. Default 1,000,000.
    package var suggestionStepsMax = SpellingSuggestion.stepsMax
    /// Bytes of the operations of templates as compact JSON, each counted at every use. Default 8 MiB.
    package var templateBytesMax = 8 << 20
    /// Pairs in `labels`. Default 32.
    package var labelsMax = 32
    /// Bytes of one label's key. Default 63.
    package var labelKeyBytesMax = 63
    /// Bytes of one label's value. Default 128.
    package var labelValueBytesMax = 128
    /// Bytes of `metadata` as compact JSON. Default 16 KiB.
    package var metadataBytesMax = 16 << 10
    /// Entries of `callbacks`. Default 8.
    package var callbacksMax = 8
    /// Bytes of one entry of `callbacks` as compact JSON. Default 64 KiB.
    package var callbackBytesMax = 64 << 10
    /// Bytes of a URL or of a template of one. Default 8 KiB.
    package var urlBytesMax = 8 << 10
    /// Request fields of one call. Default 64.
    package var headersMax = 64
    /// Parts of one form. Default 256.
    package var partsMax = 256
    /// The farthest `run_at`, `start_by` and `finish_by`. Default 3,660 days, ten years.
    package var dateMax = Duration.seconds(3_660 * 86_400)
    /// The longest delay, timeout and wait between attempts. Default 366 days.
    package var waitMax = Duration.seconds(366 * 86_400)
    /// The longest attempt timeout. Default 1 day.
    package var attemptTimeoutMax = Duration.seconds(86_400)
    /// The longest retention. Default 3,660 days.
    package var retentionMax = Duration.seconds(3_660 * 86_400)
    /// Attempts of one operation. Default 100.
    package var attemptsMax = 100

    /// The published limits.
    package static let standard = SpecLimits()

    /// The published limits, to be changed one by one.
    package init() {}
}
