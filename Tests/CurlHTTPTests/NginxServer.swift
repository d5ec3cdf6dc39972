import FaultyHTTP
import Foundation

/// A real web server on the loopback interface: nginx, with plain HTTP/1.1, HTTP/2 over TLS, and TLS that asks for a
/// client certificate.
final class NginxServer {
    let plainPort = FaultServer.unusedPort()
    let securePort = FaultServer.unusedPort()
    let strictPort = FaultServer.unusedPort()
    private let directory: String
    private let process: pid_t

    /// Starts it with `good.pem` and `good.key` of the authority; `/file` is `content`.
    init(_ authority: TestAuthority, content: [UInt8]) throws {
        let directory = NSTemporaryDirectory() + "curl-nginx-\(UUID().uuidString)"
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory + "/www", withIntermediateDirectories: true)
        try Data(content).write(to: URL(fileURLWithPath: directory + "/www/file"))
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(directory)/\($0);" }.joined(separator: " ")
        let tls = """
            ssl_certificate \(authority.directory)/good.pem; ssl_certificate_key \(authority.directory)/good.key;
            """
        let settings = """
            worker_processes 1; daemon off; user root; pid \(directory)/pid; error_log \(directory)/error;
            events { worker_connections 512; }
            http {
              access_log off; ssl_protocols TLSv1.2 TLSv1.3; root \(directory)/www; \(temporary)
              server { listen 127.0.0.1:\(plainPort);
                location /who { return 200 "$connection"; }
                location /gone { keepalive_timeout 0; return 200 "$connection"; } }
              server { listen 127.0.0.1:\(securePort) ssl http2; \(tls)
                location /who { return 200 "$connection $server_protocol"; } }
              server { listen 127.0.0.1:\(strictPort) ssl http2; \(tls)
                ssl_client_certificate \(authority.file); ssl_verify_client optional;
                location /who { return 200 "$ssl_client_s_dn"; } }
            }

            """
        try settings.write(toFile: directory + "/conf", atomically: true, encoding: .utf8)
        process = try spawnShell(
            "PATH=$PATH:/usr/sbin; exec nginx -e '\(directory)/error' -c '\(directory)/conf' </dev/null >/dev/null 2>&1"
        )
        for port in [plainPort, securePort, strictPort] { waitUntilListening(on: port) }
    }

    deinit {
        // The main process of nginx stops its workers.
        kill(process, SIGTERM)
        waitpid(process, nil, 0)
        try? FileManager.default.removeItem(atPath: directory)
    }
}
