import FaultyHTTP
import Foundation
import JobHTTP
import Testing

/// The code of `Docs/JobKit.md` that makes calls.
@Suite struct `The tutorial about calls` {
    // region: repo
    struct Repo: Decodable, Sendable {
        let name: String
        let stars: Int
    }
    // end

    private let server = FaultServer { connection, _ in connection.answerAll(#"{"name": "ada", "stars": 3}"#)
    }

    @Test func `decodes an answer`() async throws {
        defer { server.stop() }
        let url = server.url()
        // region: decoding
        let queue = AOperationQueue(transport: .curl)
        let repo = try await queue.add(NetworkDataOperation(url: url, as: Repo.self)).value
        // end
        #expect(repo.stars == 3)
        // region: parsing
        let length = NetworkDataOperation(url: url) { data, response in
            print(
                response.status, response.field("content-type") ?? "", response.exchange.waitMilliseconds ?? 0
            )
            return data.count
        }
        let bytes = try await queue.add(length.retry(.standard, method: .get)).value
        // end
        #expect(bytes == 27)
        // region: posting
        var call = try HTTPCall(url: url, json: ["stars": 4])
        call.firstByteTimeout = .seconds(5)
        let status = try await queue.add(NetworkDataOperation(call) { _, response in response.status }).value
        // end
        #expect(status == 200)
    }

    @Test func `downloads to a file`() async throws {
        defer { server.stop() }
        let url = server.url()
        let queue = AOperationQueue(transport: .curl)
        let path = NSTemporaryDirectory() + "tutorial-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        // region: download
        let file = try await queue.add(NetworkDownloadOperation(url: url, to: FilePlace(path))).value
        print(file.path, file.byteCount)
        let checked = NetworkDownloadOperation(url: url, to: FilePlace(path)) { download in
            let content = try Data(contentsOf: URL(fileURLWithPath: download.file.path))
            guard content.first == UInt8(ascii: "{") else {
                throw AOperationError("report.malformed", detail: "\(url) is no JSON.")
            }
        }
        try await queue.add(checked).value
        // end
        #expect(file.byteCount == 27)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `reaches only what it may`() async throws {
        defer { server.stop() }
        let url = server.url()
        // region: egress
        let settings = CurlTransport.Settings(egress: EgressPolicy())
        let queue = AOperationQueue(transport: .curl(settings))
        let ending = await queue.add(NetworkDataOperation(url: url, as: Repo.self)).waitUntilFinished()
        print(ending.errors[0].code)  // egress.blocked, for a loopback address
        // end
        #expect(ending.errors[0].code == "egress.blocked")
    }
}
