import Foundation
import Testing

/// The adapters of the documentation, compiled against modules with the signatures of the packages that they adapt to.
@Suite(.enabled(if: UserCompiler.installedTools != nil, "The tools of the compiler are not in the PATH."))
struct `The adapters for logs, metrics and traces` {
    @Test func `are right in their types`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        for module in ["Logging", "Metrics", "Tracing"] {
            let file = PublicSurface.root.appending(path: "Tests/Ecosystem/\(module).swift")
            #expect(try compiler.complaints(aboutModule: module, of: file) == "")
        }
        let adapters = ["ObservedQueue", "SwiftLog", "SwiftMetrics", "SwiftTracing"].map {
            PublicSurface.root.appending(path: "Examples/adapters/\($0).swift")
        }
        #expect(try compiler.complaints(about: adapters) == "")
    }
}
