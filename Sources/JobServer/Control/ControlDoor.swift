import EventIO
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto
import SQLiteStore
import StrictJSON
import Synchronization

// DESIGN
// Maintenance commands reach a running server through a socket in the data directory, which only the directory's owner
// can enter: no token, no port, no configuration. The server writes a backup into its own directory only; the command
// moves it to its target with the permissions of the person who runs it.

/// Serves the commands `backup` and `doctor` on the socket `control` in the data directory.
final class ControlDoor: HTTPService, HTTPRequestHandler {
    /// The file name of the socket.
    static let socketName = "control"
    /// The paths of the commands.
    static let backupPath = "/backup"
    static let examinePath = "/examine"
    /// The path of the liveness probe.
    static let presencePath = "/presence"
    /// The name prefix of an unfinished backup in the data directory.
    static let backupPrefix = ".unfinished-backup-"

    private let server: Door
    private let directory: String
    private let isBusy = Atomic(false)
    private let made = Mutex(MadeBackups())

    /// Creates the service for a server with this data directory.
    init(server: Door, directory: String) {
        self.server = server
        self.directory = directory
    }

    func admit(_ head: HTTPRequestHead, from peer: PeerAddress) -> HTTPAdmission {
        .accept(self, bodyBytesMax: 0)
    }

    func handle(_ exchange: HTTPExchange) {
        let path = exchange.request.head.target.pathBytes
        if path.elementsEqual(Self.presencePath.utf8) { return answer(exchange, 200) { _ in } }
        guard exchange.request.head.method == .post, !isBusy.exchange(true, ordering: .acquiringAndReleasing)
        else {
            return answer(exchange, 409, text: "Another command is in progress. Try again when it is done.")
        }
        if path.elementsEqual(Self.backupPath.utf8) {
            backUp(exchange)
        } else if path.elementsEqual(Self.examinePath.utf8) {
            examine(exchange)
        } else {
            isBusy.store(false, ordering: .releasing)
            answer(exchange, 404, text: "This server does not know the command.")
        }
    }

    func answer(to refusal: ListenerRefusal, of head: HTTPRequestHead?, from peer: PeerAddress)
        -> HTTPResponse
    {
        HTTPResponse(status: refusal.status, fields: HTTPFields(), body: .bytes(Array(refusal.detail.utf8)))
    }

    private func backUp(_ exchange: HTTPExchange) {
        let names = DataDirectory(directory).names.filter { $0.hasPrefix(Self.backupPrefix) }
        for name in made.withLock({ $0.abandoned(of: names) }) {
            DataDirectory.remove("\(directory)/\(name)")
        }
        let name = Self.backupPrefix + HexText.encode(SecureRandom.bytes(8))
        server.store.backUp(to: "\(directory)/\(name)") { [self] result in
            if case .success = result { made.withLock { $0.add(name) } }
            isBusy.store(false, ordering: .releasing)
            exchange.loop.execute { [self] in deliver(name, result, to: exchange) }
        }
    }

    /// Answers with a backup, or removes it when the command that asked for it was ended. On the loop.
    private func deliver(
        _ name: String, _ result: Result<BackupSummary, JobStoreError>, to exchange: HTTPExchange
    ) {
        switch result {
        case .failure(let error): answer(exchange, 503, text: error.detail)
        case .success where exchange.isAbandoned:
            server.log.write(
                .info, "backup_abandoned",
                message: "The command that asked for a backup was ended. Its copy is removed.")
            made.withLock { $0.remove(name) }
            // When no thread is free, the next backup removes it.
            _ = server.reads.threads.run { [directory] _ in DataDirectory.remove("\(directory)/\(name)") }
        case .success(let summary):
            server.log.write(.info, "backup_made") { line in
                line.member("jobs", summary.jobs)
                line.member("bytes", summary.bytes)
            }
            answer(exchange, 200) { json in
                json.member("name", name)
                json.member("bytes", summary.bytes)
                json.member("jobs", summary.jobs)
                json.member("files", summary.files)
            }
        }
    }

    private func examine(_ exchange: HTTPExchange) {
        server.store.checkIntegrity(readsFiles: true) { [self] result in
            isBusy.store(false, ordering: .releasing)
            switch result {
            case .failure(let error): answer(exchange, 503, text: error.detail)
            case .success(let report):
                let refusal = server.store.condition.refusal
                answer(exchange, 200) { json in
                    StoreReport(report, trouble: refusal?.detail).write(to: &json)
                }
            }
        }
    }

    private func answer(_ exchange: HTTPExchange, _ status: Int, text: String) {
        answer(exchange, status) { $0.member("detail", text) }
    }

    private func answer(_ exchange: HTTPExchange, _ status: Int, _ members: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        json.beginObject()
        members(&json)
        json.endObject()
        exchange.respond(
            HTTPResponse(status: HTTPStatus(status), fields: HTTPFields(), body: .bytes(json.line())))
    }
}
