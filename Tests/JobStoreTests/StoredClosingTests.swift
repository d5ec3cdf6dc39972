import JobKit
import JobStore
import Testing

@Suite struct `What a store keeps about origins` {
    private func closing(_ origin: String, until seconds: Int64) throws -> OriginClosing {
        let (since, until) = (Timestamp.noon.milliseconds, Timestamp.noon(seconds).milliseconds)
        return try #require(OriginClosing(Array("\(since) \(until) 429 - - - \(origin)".utf8)))
    }

    private func opening(_ origin: String) throws -> OriginClosing {
        try #require(OriginClosing(Array("- - - - - - \(origin)".utf8)))
    }

    private func keep(
        _ store: any JobStore, _ closings: [OriginClosing], at now: Timestamp = .noon
    ) async throws {
        try await store.perform(ClosingUpdate(closings, at: now))
    }

    @Test(arguments: Engine.allCases) func `lasts until its end, or until it is removed`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            let reader = try store.makeReader()
            #expect(try reader.closings().isEmpty)
            let (first, second) = (
                try closing("https://b.example", until: 60), try closing("https://a.example", until: 90)
            )
            try await keep(store, [first, second])
            #expect(try reader.closings() == [second, first])
            let longer = try closing("https://b.example", until: 120)
            try await keep(store, [longer], at: .noon(10))
            #expect(try reader.closings() == [second, longer])
            try await keep(store, [try closing("https://c.example", until: 200)], at: .noon(100))
            #expect(try reader.closings().map(\.origin) == ["https://b.example", "https://c.example"])
            try await keep(store, [try opening("https://b.example")], at: .noon(110))
            #expect(try reader.closings().map(\.origin) == ["https://c.example"])
        }
    }
}
