// region: tracing
import HTTPMessage
import JobKit
import Tracing

/// Makes a span of each attempt. Its parent is the span in which the operation was added.
struct SwiftTracing: OperationTracer {
    func surrounding(_ operation: String) -> Surrounding {
        let parent = ServiceContext.current ?? .topLevel
        return { context, attempt in
            try await withSpan(operation, context: parent) { span in
                span.attributes["operation.attempt"] = .int64(Int64(context.attempt))
                try await attempt()
            }
        }
    }
}

/// Makes a span of each call, and sends its context to the upstream.
struct TracedTransport: Transport {
    let transport: any Transport

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        let result = await withSpan(call.method, ofKind: .client) { span in
            var call = call
            InstrumentationSystem.instrument.inject(span.context, into: &call, using: FieldInjector())
            return await answer(to: call, in: span)
        }
        return try result.get()
    }

    private func answer(
        to call: HTTPCall, in span: any Span
    ) async -> Result<HTTPCallAnswer, HTTPCallFailure> {
        do throws(HTTPCallFailure) {
            let answer = try await transport.send(call)
            span.attributes["http.response.status_code"] = .int64(Int64(answer.status))
            return .success(answer)
        } catch {
            span.recordError(error)
            return .failure(error)
        }
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        try await transport.reach(probe)
    }
}

struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into call: inout HTTPCall) {
        call.fields.append((name: key, value: value))
    }
}
// end
