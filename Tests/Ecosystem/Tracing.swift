// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of swift-distributed-tracing's module Tracing that the adapters use, with its signatures.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct ServiceContext: Sendable {
    public static var topLevel: ServiceContext { ServiceContext() }

    @TaskLocal public static var current: ServiceContext?
}

public enum SpanKind: Hashable, Sendable {
    case server, client, producer, consumer, `internal`
}

public enum SpanAttribute: Sendable, ExpressibleByStringLiteral {
    case int64(Int64)
    case string(String)

    public init(stringLiteral value: String) { self = .string(value) }
}

public struct SpanAttributes: Sendable {
    public subscript(_ name: String) -> SpanAttribute? {
        get { nil }
        set {}
    }
}

public protocol Span: Sendable {
    var context: ServiceContext { get }
    var attributes: SpanAttributes { get nonmutating set }
}

extension Span {
    public func recordError(_ error: any Error) {}
}

private struct NoSpan: Span {
    let context: ServiceContext
    var attributes: SpanAttributes {
        get { SpanAttributes() }
        nonmutating set {}
    }
}

public protocol Injector: Sendable {
    associatedtype Carrier: Sendable

    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Instrument: Sendable {
    func inject<Carrier, Inject>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
}

private struct NoInstrument: Instrument {
    func inject<Carrier, Inject>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    )
    where Inject: Injector, Inject.Carrier == Carrier {}
}

public enum InstrumentationSystem {
    public static var instrument: any Instrument { NoInstrument() }
}

public func withSpan<T>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, function: String = #function, file fileID: String = #fileID,
    line: UInt = #line, _ operation: (any Span) throws -> T
) rethrows -> T {
    let span = NoSpan(context: context())
    return try ServiceContext.$current.withValue(span.context) { try operation(span) }
}

public func withSpan<T>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, isolation: isolated (any Actor)? = #isolation,
    function: String = #function, file fileID: String = #fileID, line: UInt = #line,
    _ operation: (any Span) async throws -> T
) async rethrows -> T {
    let span = NoSpan(context: context())
    return try await ServiceContext.$current.withValue(span.context) { try await operation(span) }
}
