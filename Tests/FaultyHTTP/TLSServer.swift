import Foundation

/// Certificates made with the system's `openssl`, in a directory that goes with them.
package final class TestAuthority {
    package let directory: String
    /// The PEM file of the authority itself.
    package var file: String { directory + "/ca.pem" }

    package init() throws {
        directory = NSTemporaryDirectory() + "curl-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Authority",
            "-keyout ca.key -out ca.pem -addext basicConstraints=critical,CA:TRUE")
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// The bytes of one of its files.
    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name)))
    }

    /// Makes `name`.pem and `name`.key: a certificate for these subject alternative names.
    package func issue(_ name: String, for names: String, isExpired: Bool = false) throws {
        try openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name)",
            "-keyout \(name).key -out \(name).csr")
        try "subjectAltName=\(names)\n".write(
            toFile: directory + "/\(name).ext", atomically: true, encoding: .utf8)
        guard isExpired else {
            try openssl(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2",
                "-extfile \(name).ext -out \(name).pem")
            return
        }
        try "".write(toFile: directory + "/index.txt", atomically: true, encoding: .utf8)
        try """
        [ca]
        default_ca = own
        [own]
        database = index.txt
        new_certs_dir = .
        rand_serial = yes
        default_md = sha256
        policy = any
        [any]
        commonName = supplied

        """.write(toFile: directory + "/ca.cnf", atomically: true, encoding: .utf8)
        try openssl(
            "ca -batch -config ca.cnf -cert ca.pem -keyfile ca.key -in \(name).csr -out \(name).pem",
            "-extfile \(name).ext -startdate 20200101000000Z -enddate 20200102000000Z")
    }

    private func openssl(_ parts: String...) throws {
        try runShell(
            "cd '\(directory)' && openssl \(parts.joined(separator: " ")) >/dev/null 2>&1 </dev/null")
    }
}

/// A TLS server on the loopback interface that answers every GET with a page: `openssl s_server`.
package final class TLSServer {
    package let port: Int
    private let process: pid_t

    /// Serves with `name`.pem and `name`.key of the authority's directory.
    ///
    /// - Parameter options: more options of `openssl s_server`.
    package init(_ authority: TestAuthority, certificate name: String, options: String = "") throws {
        port = FaultServer.unusedPort()
        let command =
            "cd '\(authority.directory)' && exec openssl s_server -accept 127.0.0.1:\(port)"
            + " -cert \(name).pem -key \(name).key -www -quiet \(options) >/dev/null 2>&1 </dev/null"
        process = try spawnShell(command)
        waitUntilListening(on: port)
    }

    deinit {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }
}

/// Waits for a listener on a loopback port.
package func waitUntilListening(on port: Int) {
    var isListening = false
    for _ in 0..<1000 where !isListening {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        unsafe FaultServer.withAddress(port: port) {
            isListening = unsafe connect(descriptor, $0, $1) == 0
        }
        close(descriptor)
        if !isListening { usleep(5000) }
    }
}
