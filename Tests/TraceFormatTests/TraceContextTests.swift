import Testing
import TraceFormat

@Suite("The context of a trace in the fields of a request")
struct TraceContextTests {
    private static let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test("A valid context is read and written unchanged")
    func roundTrip() throws {
        let context = try #require(TraceContext(parent: Self.parent, state: "a=1,b@c=x y"))
        #expect(context.traceID.description == "0af7651916cd43dd8448eb211c80319c")
        #expect(context.spanID.description == "b7ad6b7169203331")
        #expect(context.isSampled)
        #expect(context.parent == Self.parent)
        #expect(context.state == "a=1,b@c=x y")
        #expect(TraceContext(stored: context.stored) == context)
        let plain = try #require(TraceContext(parent: Self.parent))
        #expect(TraceContext(stored: plain.stored) == plain)
    }

    @Test("A later version is read as far as it is known, and other flags do not matter")
    func laterVersions() {
        let later = "01" + Self.parent.dropFirst(2)
        #expect(TraceContext(parent: later)?.parent == Self.parent)
        #expect(TraceContext(parent: later + "-more")?.parent == Self.parent)
        #expect(TraceContext(parent: later + "more") == nil)
        #expect(TraceContext(parent: Self.parent.dropLast(2) + "fe")?.isSampled == false)
        #expect(TraceContext(parent: Self.parent.dropLast(2) + "ff")?.isSampled == true)
    }

    @Test(
        "A malformed context counts as none",
        arguments: [
            "", "00", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
            "00-0af7651916cd43dd8448eb211c80319cb-7ad6b7169203331-01",
            "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-é",
        ])
    func malformed(_ text: String) {
        #expect(TraceContext(parent: text) == nil)
    }

    @Test(
        "A malformed state is left out, and the parent stays",
        arguments: [
            "a", "A=1", "a=1,a=2", "a=", "=1", "a=1=2", String(repeating: "x", count: 600),
            (0..<33).map { "k\($0)=1" }.joined(separator: ","),
        ])
    func malformedState(_ text: String) {
        #expect(TraceContext(parent: Self.parent, state: text)?.state == "")
    }

    @Test("Samplers decide by the ids alone, and follow the caller where they are told to")
    func sampling() throws {
        let caller = try #require(TraceContext(parent: Self.parent))
        var unsampled = caller
        unsampled.isSampled = false
        func decides(_ name: String, _ argument: String? = nil, _ parent: TraceContext? = nil) throws -> Bool
        {
            try #require(TraceSampler(name, argument: argument))
                .isSampled(caller.traceID, parent: parent)
        }
        #expect(try decides("always_on", nil, unsampled))
        #expect(try !decides("always_off", nil, caller))
        #expect(try decides("parentbased_always_on"))
        #expect(try !decides("parentbased_always_on", nil, unsampled))
        #expect(try decides("parentbased_always_off", nil, caller))
        #expect(try !decides("parentbased_always_off"))
        // The lower 56 bits of the id are 0x48eb211c80319c: 28.5 % of their range.
        #expect(try decides("traceidratio", "0.29"))
        #expect(try !decides("traceidratio", "0.28"))
        #expect(try decides("parentbased_traceidratio", "0", caller))
        #expect(try decides("traceidratio"))
        #expect(TraceSampler("jaeger_remote", argument: nil) == nil)
        #expect(TraceSampler("traceidratio", argument: "2") == nil)
        #expect(TraceSampler("traceidratio", argument: "much") == nil)
    }

    @Test("Ids that follow from a job are the same each time, and different for different work")
    func derivedIDs() throws {
        func id(_ numbers: [UInt64], _ texts: [String] = []) -> SpanID {
            var mixer = BitMixer(7)
            for number in numbers { mixer.add(number) }
            for text in texts { mixer.add(text) }
            return SpanID(mixer)
        }
        #expect(id([1, 2], ["a"]) == id([1, 2], ["a"]))
        let all = [
            id([]), id([1]), id([1, 2]), id([2, 1]), id([], ["a"]), id([], ["a", "b"]), id([], ["ab"]),
            id([], ["a", ""]), id([1], ["a"]),
        ]
        #expect(Set(all).count == all.count)
        let trace = try #require(TraceContext(parent: Self.parent)).traceID
        #expect(trace.derived(1) == trace.derived(1))
        #expect(trace.derived(1) != trace.derived(2))
        #expect(trace.derived(1) != trace)
    }
}
