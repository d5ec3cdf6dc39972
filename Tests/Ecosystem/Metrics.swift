// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of swift-metrics' module Metrics that the adapters use, with its signatures.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public final class Counter: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }

    init() {}

    public func increment<DataType: BinaryInteger>(by amount: DataType) {}

    public func increment() { increment(by: 1) }
}

public final class Timer: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }

    init() {}

    public func recordNanoseconds(_ duration: Int64) {}

    public func recordMicroseconds<DataType: BinaryInteger>(_ duration: DataType) {}
}
