// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of swift-log's module Logging that the adapters use, with its signatures.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct Logger: Sendable {
    public enum Level: String, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    public struct Message: ExpressibleByStringInterpolation, Sendable {
        public init(stringLiteral value: String) {}
    }

    public enum MetadataValue: ExpressibleByStringInterpolation, Sendable {
        case string(String)

        public init(stringLiteral value: String) { self = .string(value) }
    }

    public typealias Metadata = [String: MetadataValue]

    public init(label: String) {}

    public func log(
        level: Logger.Level, _ message: @autoclosure () -> Logger.Message,
        metadata: @autoclosure () -> Logger.Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {}
}
