import Foundation
import HTTPMessage
import Testing

/// The URL tests of the web platform (`Tests/Suites/url`). What matters is that no URL is taken for another one than a
/// browser, or a library by the same standard, takes it for. Being stricter is no harm: the table of each test says
/// what is refused, and why.
@Suite struct `The URLs of the web platform's tests` {
    /// A case: what is given, and its reading by the standard, nil for a failure.
    private struct Case {
        let input: String
        let base: String?
        let parts: [String]?

        /// Scheme, host and port.
        var target: [String]? { parts.map { Array($0[..<3]) } }
        /// The URL without credentials, fragment and the mark of an empty query.
        var url: String? {
            parts.map { "\($0[0])://\($0[1])" + ($0[2].isEmpty ? "" : ":\($0[2])") + $0[3] + $0[4] }
        }
    }

    private static func cases() throws -> [Case] {
        let file = URL(filePath: #filePath).appending(path: "../../Suites/url/cases.jsonl").standardized
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            let row = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
            return Case(
                input: try #require(row[0] as? String), base: row[1] as? String,
                parts: row.count > 2 ? row[2...].compactMap { $0 as? String } : nil)
        }
    }

    private static func target(of url: URLParts) -> [String] {
        let port = url.port == (url.isHTTPS ? 443 : 80) ? "" : "\(url.port)"
        return [url.scheme, url.address?.isIPv4 == false ? "[\(url.host)]" : url.host, port]
    }

    /// Refusals of what the standard reads as http or https, with the number of cases.
    private static let refusals: [URLPartsError.Code: (count: Int, reason: String)] = [
        .character: (42, "blanks, tabs, backslashes, < > and text outside ASCII are read in different ways"),
        .escape: (5, "a % without two digits"),
        .fragment: (10, "it is not sent, so that a written one is a mistake"),
        .host: (18, "shortened, octal and hexadecimal addresses, encoded and empty names"),
        .port: (4, "0, empty, or with zeros in front"),
        .scheme: (20, "http: without //, which depends on the base"),
        .userInformation: (18, "credentials belong into auth"),
    ]

    @Test func `are read as the standard reads them, or refused`() throws {
        // The labels of xn-- names are not decoded: DNS does not know them.
        let undecoded = ["pokxncvks", "https://xn--/"]
        // Sent as written (Spec.md): `%2e` is no dot, and `'` stays.
        let asWritten = [
            "http://example.com/foo/%2e", "http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar",
            "http://www/foo/%2E/html", "http://host/?'",
        ]
        var refused: [URLPartsError.Code: Int] = [:]
        var same = 0
        for item in try Self.cases() {
            do throws(URLPartsError) {
                let url = try URLParts(item.input)
                guard let target = item.target else {
                    #expect(undecoded.contains { item.input.lowercased().hasSuffix($0) }, "\(item.input)")
                    continue
                }
                #expect(Self.target(of: url) == target, "\(item.input)")
                let query = url.query.map { $0.isEmpty ? "" : "?\($0)" } ?? ""
                let sent = URLReference.withoutDots(url.path) + query
                let isSame = sent == item.parts.map { $0[3] + $0[4] }
                #expect(isSame != asWritten.contains(item.input), "\(item.input): \(sent)")
                same += 1
            } catch {
                let isAbsolute = item.input.lowercased().hasPrefix("http")
                if item.parts != nil, isAbsolute { refused[error.code, default: 0] += 1 }
            }
        }
        #expect(same > 50)
        #expect(refused == Self.refusals.mapValues(\.count))
    }

    @Test func `are resolved as the standard resolves them, or refused`() throws {
        var same = 0
        var differences: [String] = []
        for item in try Self.cases() {
            guard let base = item.base, (try? URLParts(base)) != nil,
                let url = try? URLReference.resolve(item.input, against: base)
            else { continue }
            let isSame = url == item.url || url == item.url.map { "\($0)?" }
            if isSame { same += 1 } else { differences.append("\(item.input): \(url)") }
        }
        #expect(differences == [])
        #expect(same > 50)
    }
}
