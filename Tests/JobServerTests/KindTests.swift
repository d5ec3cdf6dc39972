import Commands
import Foundation
import JobKit
@testable import JobServer
import JobSpec
import StrictJSON
import Testing

@Suite struct `A server with custom kinds` {
    private func kind(_ name: String) -> OperationKind {
        OperationKind(name, members: [.required("text", .string)]) { _ in ClosureOperation { _ in .null } }
    }

    @Test func `does not start with two kinds of one name or a built-in one`() {
        for names in [["a", "a"], ["network"]] {
            do throws(CommandFailure) {
                _ = try JobServer.checked(names.map(kind))
                Issue.record("\(names) were accepted")
            } catch {
                #expect(error.code == .configuration)
                #expect(error.text.contains("\"\(names[0])\""))
            }
        }
    }

    @Test func `checks specs that use them`() throws {
        let file = LiveServer.temporaryDirectory().appending(path: "spec.json")
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        try Data(#"{"type": "a", "text": 1}"#.utf8).write(to: file)
        let kinds = try JobServer.checked([kind("a")])
        do throws(CommandFailure) {
            _ = try CheckCommand.run([file.path], kinds: kinds)
            Issue.record("the spec was accepted")
        } catch {
            #expect(error.text.contains("spec.wrong_type"))
        }
        try Data(#"{"type": "a", "text": "x"}"#.utf8).write(to: file)
        #expect(try CheckCommand.run([file.path], kinds: kinds).hasPrefix("valid\na  a\n"))
    }
}
