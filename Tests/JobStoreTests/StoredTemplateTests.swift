import JobStore
import Testing

@Suite struct `A stored template` {
    @Test(arguments: Engine.allCases) func `has a version for each body, until it is removed`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            func put(_ body: String) async throws -> TemplateReceipt {
                let record = TemplateRecord(
                    name: "resize", body: Array(body.utf8), createdAt: .noon, createdBy: "ada")
                return try await store.perform(TemplateDraft(record))
            }
            #expect(try await put("{1}").template.version == 1)
            #expect(try await put("{1}").isNew == false)
            #expect(try await put("{2}").template.version == 2)
            let reader = try store.makeReader()
            #expect(try reader.template("resize", version: nil)?.version == 2)
            #expect(try reader.template("resize", version: 1)?.body == Array("{1}".utf8))
            #expect(try reader.template("resize", version: 3) == nil)
            #expect(try reader.templates().map(\.version) == [2])
            try await store.perform(TemplateRemoval("resize"))
            #expect(try reader.template("resize", version: nil) == nil)
            #expect(try await put("{3}").template.version == 1)
        }
    }
}
