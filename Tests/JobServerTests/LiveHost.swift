import Commands
import EventIO
import Foundation
import Synchronization

@testable import JobServer

// DESIGN
// Most tests have their server in the process of the tests: it is all of the server behind a real port, with its store
// in a directory; only `main`, the signals and the printed address are left out. A process for each server would spend
// most of its time on loading libraries and on what Swift sets up once in each process.

/// A server in the process of the tests.
final class LiveHost {
    /// Runs the starts and stops, so that a test that blocks its thread holds up none of them.
    private static let loop: EventLoop? = {
        let loop = try? EventLoop(name: "live")
        loop?.start()
        return loop
    }()

    let port: Int
    /// The port of the public listener.
    let publicPort: Int?
    private let server: Server
    private let log: Log
    private let output: FileHandle

    /// Starts a server with the words of a command line; its log goes into a file.
    init(_ words: [String], log file: URL) throws {
        let output = try FileHandle(forWritingTo: file)
        do throws(CommandFailure) {
            let config = try ServeFlags.config(words, environment: [:])
            let log = Log(
                level: config.logLevel,
                sink: LogSink(output: DescriptorOutput(descriptor: output.fileDescriptor)))
            server = try Self.start(config, log)
            self.log = log
        } catch {
            try output.write(contentsOf: Data((error.text + "\n").utf8))
            throw LiveServer.Failure.didNotStart((try? String(contentsOf: file, encoding: .utf8)) ?? "")
        }
        self.output = output
        port = server.port
        publicPort = server.publicPort
    }

    /// Stops the server and waits for its end.
    func stop() {
        Self.wait { [server] in await server.stop() }
        log.finish()
    }

    private static func start(_ config: ServerConfig, _ log: Log) throws(CommandFailure) -> Server {
        let kinds = try JobServer.checked([])
        let missing = CommandFailure(code: .failure, text: "The start did not end.")
        let outcome = Mutex(Result<Server, CommandFailure>.failure(missing))
        wait {
            let started: Result<Server, CommandFailure>
            do throws(CommandFailure) {
                started = .success(
                    try await ServeCommand.start(config, kinds: kinds, log: log, heedsSignals: false))
            } catch {
                started = .failure(error)
            }
            outcome.withLock { $0 = started }
        }
        return try outcome.withLock { $0 }.get()
    }

    private static func wait(_ work: @escaping @Sendable () async -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task(executorPreference: loop) {
            await work()
            done.signal()
        }
        done.wait()
    }
}
