import StrictJSON
import Synchronization
import Testing
import TraceFormat

@Suite("Spans on their way to a collector")
struct SpanBufferTests {
    private static let context = TraceContext(
        traceID: TraceID(of: 1, 2), spanID: SpanID(BitMixer(3)), isSampled: true)

    private static func span(_ name: String) -> TraceSpan {
        TraceSpan(context, in: nil, kind: .internal, name: name, start: 1, end: 2)
    }

    @Test("A full buffer drops and counts further spans, and takes others when there is room again")
    func bounded() {
        let buffer = SpanBuffer(capacity: 3, batch: 2)
        let wakes = Atomic<Int>(0)
        buffer.observe { wakes.wrappingAdd(1, ordering: .relaxed) }
        let made = Atomic<Int>(0)
        for number in 1...5 {
            buffer.add {
                made.wrappingAdd(1, ordering: .relaxed)
                return Self.span("\(number)")
            }
        }
        #expect(made.load(ordering: .relaxed) == 3)
        #expect(wakes.load(ordering: .relaxed) == 1)
        #expect(buffer.dropped == 2)
        #expect(buffer.take(2).map(\.name) == ["1", "2"])
        #expect(buffer.waiting == 1)
        buffer.add { Self.span("6") }
        #expect(buffer.take(9).map(\.name) == ["3", "6"])
        #expect(buffer.take(9).isEmpty)
    }

    @Test("A tracer leaves out the spans of traces that are not recorded")
    func unsampled() {
        let tracer = Tracer(sampler: .standard, relation: .auto, buffer: SpanBuffer(capacity: 9, batch: 9))
        var context = Self.context
        context.isSampled = false
        tracer.record(context) { Self.span("no") }
        tracer.record(Self.context) { Self.span("yes") }
        #expect(tracer.buffer.take(9).map(\.name) == ["yes"])
    }

    @Test("What a collector refused of a request is read")
    func refusals() throws {
        let json = try #require(
            TraceExport.Refusal(
                json: Array(#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#.utf8)))
        #expect(json.spans == 3 && json.reason == "too old")
        for good in ["", "{}", #"{"partialSuccess":{}}"#, "not json"] {
            #expect(TraceExport.Refusal(json: Array(good.utf8)) == nil)
        }
    }

    @Test("Times never run backwards, and an end before the start is the start")
    func times() {
        #expect(TraceSpan(Self.context, in: nil, kind: .client, name: "", start: 5, end: 3).end == 5)
    }
}
