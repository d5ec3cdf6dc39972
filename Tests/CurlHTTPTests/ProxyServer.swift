import FaultyHTTP
import Foundation
internal import JobSpec

/// A real proxy on the loopback interface: `tinyproxy`.
final class ProxyServer {
    let port: Int
    private let directory: String
    private let process: pid_t

    /// Starts the proxy.
    ///
    /// - Parameter credentials: `user password`, if it requires some.
    init(credentials: String? = nil) throws {
        port = FaultServer.unusedPort()
        directory = NSTemporaryDirectory() + "curl-proxy-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let settings = """
            Port \(port)
            Listen 127.0.0.1
            Timeout 60
            MaxClients 50
            Allow 127.0.0.1
            LogFile "\(directory)/log"
            \(credentials.map { "BasicAuth \($0)" } ?? "")

            """
        try settings.write(toFile: directory + "/conf", atomically: true, encoding: .utf8)
        process = try spawnShell("exec tinyproxy -d -c '\(directory)/conf' >/dev/null 2>&1 </dev/null")
        waitUntilListening(on: port)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// `http://127.0.0.1:port`, with the part before the host.
    func url(_ credentials: String = "") -> String { "http://\(credentials)127.0.0.1:\(port)" }

    /// Its log of requests.
    var log: String { (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "" }
}
