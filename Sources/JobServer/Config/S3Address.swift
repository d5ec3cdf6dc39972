import HTTPMessage
import JobKit
import JobSpec

/// A bucket of S3, or of another service with that interface, and how to reach it.
struct S3Address: Sendable, Hashable {
    var bucket: String
    /// The prefix of all keys: empty, or with a slash at its end.
    var prefix: String
    /// The URL of the service: scheme, host and port.
    var endpoint: String
    var region: String
    /// Whether the bucket is the first part of the path, and not of the host.
    var isPathStyle: Bool
    var accessKey: String
    var secretKey: String
    var sessionToken: String?

    var description: String { "s3://\(bucket)/\(prefix)" }

    var credentials: AWSCredentials {
        AWSCredentials(
            accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken, region: region,
            service: "s3")
    }

    /// The URL of the object with this key behind the prefix.
    func url(_ key: String, query: String = "") -> String {
        let path = (prefix + key).split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentCoding.encode(String($0)) }.joined(separator: "/")
        let tail = query.isEmpty ? "" : "?\(query)"
        if isPathStyle { return "\(endpoint)/\(bucket)/\(path)\(tail)" }
        let scheme = endpoint.prefix { $0 != ":" }
        return "\(scheme)://\(bucket).\(endpoint.dropFirst(scheme.count + 3))/\(path)\(tail)"
    }
}
