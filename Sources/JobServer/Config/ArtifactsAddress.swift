import Commands
import FoundationEssentials
import HTTPMessage

/// The shared place of artifacts that the configuration names.
enum ArtifactsAddress: Sendable, Hashable {
    case folder(String)
    case s3(S3Address)

    static let flags = [
        Flag(
            name: "artifacts", value: "PLACE",
            help: "with --store: where servers share large results: s3://bucket/prefix, or a directory\n"
                + "that all of them have mounted"),
        Flag(
            name: "s3-endpoint", value: "URL",
            help:
                "the S3 service with the bucket; default AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or AWS itself"
        ),
        Flag(
            name: "s3-region", value: "NAME",
            help: "the bucket's region; default AWS_REGION, AWS_DEFAULT_REGION or us-east-1"),
        Flag(
            name: "s3-path-style", value: "on|off",
            help: "whether the bucket is in the path and not in the host; default on with an endpoint of\n"
                + "your own, else off"),
        Flag(
            name: "s3-credentials", value: "FILE",
            help: "a file with aws_access_key_id, aws_secret_access_key and perhaps aws_session_token, one\n"
                + "NAME = VALUE in a line; default AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and\n"
                + "AWS_SESSION_TOKEN of the environment"),
    ]

    /// The place that flags and environment name; nil without one.
    /// - Parameter command: the command with these flags.
    init?(
        _ given: Arguments, environment: [String: String], command: String = "serve"
    ) throws(CommandFailure) {
        guard let text = given.value("artifacts") else {
            for flag in Self.flags.dropFirst() where given.has(flag.name) {
                throw .usage("--\(flag.name) needs --artifacts s3://bucket/prefix", command: command)
            }
            return nil
        }
        guard let scheme = text.firstRange(of: "://") else {
            guard !text.isEmpty, !text.hasPrefix("s3:") else {
                throw Self.usage("\(text): expected s3://bucket/prefix or a directory", command)
            }
            self = .folder(text)
            return
        }
        guard text[..<scheme.lowerBound] == "s3" else {
            throw Self.usage("\(text): expected s3://bucket/prefix or a directory", command)
        }
        let parts = text[scheme.upperBound...].split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bucket = String(parts.first ?? "")
        guard Self.isBucket(bucket) else {
            throw Self.usage(
                "\(text): the bucket must have 3 to 63 lower-case letters, digits, dots and dashes", command)
        }
        let prefix = (parts.count > 1 ? parts[1] : "").split(separator: "/").map { "\($0)/" }.joined()
        let region =
            given.value("s3-region") ?? environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"]
        let endpoint =
            given.value("s3-endpoint") ?? environment["AWS_ENDPOINT_URL_S3"]
            ?? environment["AWS_ENDPOINT_URL"]
        let isPathStyle = try given.isOn("s3-path-style", otherwise: endpoint != nil, command: command)
        let keys = try Self.keys(given, environment)
        self = .s3(
            S3Address(
                bucket: bucket, prefix: prefix,
                endpoint: try Self.origin(
                    endpoint ?? "https://s3.\(region ?? "us-east-1").amazonaws.com", command),
                region: region ?? "us-east-1", isPathStyle: isPathStyle,
                accessKey: keys.id, secretKey: keys.secret, sessionToken: keys.token))
    }

    private static func usage(_ text: String, _ command: String) -> CommandFailure {
        .usage("--artifacts \(text)", command: command)
    }

    private static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
    }

    /// Scheme, host and port of the endpoint.
    private static func origin(_ text: String, _ command: String) throws(CommandFailure) -> String {
        guard let url = try? URLParts(text), url.path == "/" || url.path.isEmpty, url.query == nil else {
            throw .usage(
                "--s3-endpoint \(text): expected http or https, a host and perhaps a port", command: command)
        }
        return url.origin
    }

    private static func keys(
        _ given: Arguments, _ environment: [String: String]
    ) throws(CommandFailure) -> (id: String, secret: String, token: String?) {
        var found = environment
        if let path = given.value("s3-credentials") {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw CommandFailure(code: .configuration, text: "The file \(path) cannot be read.")
            }
            found = [:]
            for line in text.split(whereSeparator: \.isNewline) {
                let halves = line.split(separator: "=", maxSplits: 1).map { trimmed($0) }
                if halves.count == 2 { found[halves[0].uppercased()] = halves[1] }
            }
        }
        guard let id = found["AWS_ACCESS_KEY_ID"], let secret = found["AWS_SECRET_ACCESS_KEY"], !id.isEmpty,
            !secret.isEmpty
        else {
            let place = given.value("s3-credentials") ?? "the environment"
            throw CommandFailure(
                code: .configuration,
                text: "--artifacts needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; \(place) lacks them.")
        }
        return (id, secret, found["AWS_SESSION_TOKEN"])
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
