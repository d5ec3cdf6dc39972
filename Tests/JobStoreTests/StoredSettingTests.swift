import JobStore
import Testing

@Suite struct `A stored setting` {
    private func put(_ store: any JobStore, _ kind: SettingKind, _ name: String) async throws -> SettingRecord
    {
        let draft = SettingDraft(kind: kind, name: name, updatedAt: .noon, updatedBy: "ada") { known in
            Array("\(name) \((known?.version ?? 0) + 1)".utf8)
        }
        return try await store.perform(draft).setting
    }

    @Test(arguments: Engine.allCases) func `has the version that its content was made for`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            #expect(try await put(store, .secret, "key").version == 1)
            let second = try await put(store, .secret, "key")
            #expect(second.version == 2)
            #expect(second.body == Array("key 2".utf8))
            let reader = try store.makeReader()
            #expect(try reader.settings(.secret) == [second])
            #expect(try reader.settings(.connection) == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `is separate from one of another kind, and absent after its removal`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            for name in ["b", "a"] { _ = try await put(store, .connection, name) }
            _ = try await put(store, .secret, "a")
            let reader = try store.makeReader()
            #expect(try reader.settings(.connection).map(\.name) == ["a", "b"])
            try await store.perform(SettingRemoval(.connection, "a"))
            #expect(try reader.settings(.connection).map(\.name) == ["b"])
            #expect(try reader.settings(.secret).map(\.name) == ["a"])
            await #expect(throws: JobStoreError.noSetting(.connection, "a")) {
                try await store.perform(SettingRemoval(.connection, "a"))
            }
            #expect(try await put(store, .connection, "a").version == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `is refused beyond the limit, but can still be changed`(
        _ engine: Engine
    ) async throws {
        var limits = StoreLimits()
        limits.settingsMax = 2
        try await engine.withStore(limits: limits) { store in
            for name in ["a", "b", "a"] { _ = try await put(store, .secret, name) }
            await #expect { try await put(store, .secret, "c") } throws: {
                ($0 as? JobStoreError)?.code == .full(.setting(.secret))
            }
            _ = try await put(store, .connection, "c")
        }
    }

    @Test(arguments: Engine.allCases) func `raises the version that caches check before its reply comes`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let first = store.settingsVersion
            _ = try await put(store, .secret, "a")
            let second = store.settingsVersion
            #expect(second > first)
            #expect(
                await refusal { try await store.perform(SettingRemoval(.connection, "a")) }
                    == .missing(.setting(.connection)))
            #expect(store.settingsVersion == second)
            try await store.perform(SettingRemoval(.secret, "a"))
            #expect(store.settingsVersion > second)
        }
    }
}
