import Testing

@Suite(.enabled(if: UserCompiler.installedTools != nil, "The tools of the compiler are not in the PATH."))
struct `A program that uses the library` {
    @Test func `meets no name twice when it imports Foundation`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let own = try ["JobKit", "JobHTTP", "JobSpec", "StrictJSON", "HTTPMessage"].reduce(
            into: Set<String>()
        ) {
            $0.formUnion(try compiler.names(of: $1))
        }
        #expect(own.isSuperset(of: ["AOperation", "ClosureOperation", "OperationKind", "JSONValue"]))
        let others = try [
            "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Synchronization",
        ].reduce(into: Set<String>()) { $0.formUnion(try compiler.names(of: $1)) }
        #expect(others.isSuperset(of: ["BlockOperation", "Data", "URLSession", "DispatchQueue", "Mutex"]))
        #expect(own.intersection(others) == [])
        #expect(own.intersection(Self.elsewhere) == [])
    }

    /// Names of Foundation on other platforms.
    private static let elsewhere: Set<String> = [
        "Operation", "OperationQueue", "Progress", "Host", "Port", "Process", "Stream", "Timer", "Formatter",
    ]

    /// A default verdict would make each of them a condition that always holds, without a word.
    @Test(arguments: [
        "func evaluate(in context: ConditionContext) async throws -> ConditionVerdict { .satisfied }",
        "func evaluate(for context: ConditionContext) async -> ConditionVerdict { .satisfied }",
        "func evalute(in context: ConditionContext) async -> ConditionVerdict { .satisfied }", "",
    ])
    func `is told of a condition that decides nothing`(slip: String) throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let text = "import JobKit\nstruct Slip: OperationCondition {\n\(slip)\n}\n"
        let complaints = try compiler.complaints(about: text)
        #expect(complaints.contains(": error: "))
        #expect(complaints.contains("'evaluate(in:)'") || complaints.contains("'OperationCondition'"))
    }

    /// Each of these would have let everything pass.
    @Test(arguments: [
        (
            "OperationQueueDelegate", "queue(_:willAdd:)",
            "func queue(_ queue: AOperationQueue, willAdd operation: OperationInfo) -> AOperationError? { nil }"
        ),
        (
            "DownloadPlace", "keep",
            """
            func begin(for call: HTTPCall) throws -> any DownloadDraft { fatalError() }
            func keep(file: DownloadedFile) async throws {}
            func discard(_ file: DownloadedFile) async {}
            """
        ),
        ("PrerequisiteCondition", "prerequisites(in:)", ""),
        (
            "PrerequisiteCondition", "prerequisites(in:)",
            "func prerequisite(in context: ConditionContext) async -> [Prerequisite] { [] }"
        ),
        (
            "PrerequisiteCondition", "prerequisites(in:)",
            "func prerequisites(in context: ConditionContext) async throws -> [Prerequisite] { [] }"
        ),
        (
            "Capability", "isAvailable()",
            """
            let name = "calendar"
            func isAvaliable() async -> Bool { false }
            func status() async throws -> AuthorizationStatus { .denied }
            func request(_ scopes: Set<String>, in context: OperationContext) async throws {}
            """
        ),
    ])
    func `is told of a guard that guards nothing`(name: String, missing: String, slip: String) throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let text = "import HTTPMessage\nimport JobKit\nfinal class Slip: \(name) {\n\(slip)\n}\n"
        let complaints = try compiler.complaints(about: text)
        #expect(complaints.contains(": error: "))
        #expect(complaints.contains(missing) && complaints.contains("'\(name)'"))
    }

    @Test func `compiles together with Foundation`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let text = """
            import Foundation
            import JobKit

            struct Length: ReceivingOperation {
                func execute(receiving text: String, in context: OperationContext) async throws -> Int {
                    text.count
                }
            }
            let queue = AOperationQueue.shared
            let name = queue.add(ClosureOperation("name") { _ in "Ada" }.condition(.exclusive("k")))
            let length = queue.add(Length().receiving(name).after([name]).timeout(.seconds(1)))
            let group = GroupOperation(ClosureOperation { _ in 1 }, Length().receiving(value: ""))
            let day: Date? = group.name.isEmpty ? Date.now : nil
            """
        #expect(try compiler.complaints(about: text) == "")
        let wrong = text + "\nlet missing = queue.add(Length())"
        let complaints = try compiler.complaints(about: wrong)
        #expect(complaints.contains("it needs a value: add .receiving(handle)"), "\(complaints)")
        #expect(complaints.matches(of: #/: error: /#).count == 1, "\(complaints)")
    }

    @Test func `sees documented symbols only, and types that it needs`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        var surfaces: [String: PublicSurface] = [:]
        let products = try PublicSurface.products()
        #expect(products.map(\.name).contains("JobKit"))
        for product in products {
            print("\(product.name):")
            for module in product.modules {
                let surface = try surfaces[module] ?? compiler.surface(of: module)
                surfaces[module] = surface
                let types = surface.types
                print("  \(module), \(types.count) types: \(types.joined(separator: " "))")
            }
        }
        let findings = surfaces.sorted { $0.key < $1.key }.flatMap { module, surface in
            surface.findings.map { "\(module): \($0)" }
        }
        #expect(findings == [])
        // The journal, artifacts and the server's side of HTTP are matters of the server.
        let ofServer: Set = [
            "OperationJournal", "ArtifactPlace", "HTTPRequestParser", "HTTPResponse",
        ]
        #expect(ofServer.isDisjoint(with: surfaces.values.flatMap(\.types)))
    }
}
