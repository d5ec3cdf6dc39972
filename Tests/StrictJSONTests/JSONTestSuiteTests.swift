import Foundation
import StrictJSON
import Testing

/// JSONTestSuite (`Tests/Suites/JSONTestSuite`): `y_` must be accepted, `n_` refused, and `i_` is free.
@Suite struct `JSONTestSuite` {
    /// Documents that must be accepted and are refused, with the reason.
    private static let refused = [
        "y_number_double_close_to_zero": "a number has at most 64 characters",
        "y_object_duplicated_key": "of two members with one name readers take different ones",
        "y_object_duplicated_key_and_value": "the same",
    ]

    /// Free ones that are accepted: numbers of any size, since their text is kept and nothing rounds them. The refused
    /// ones are not UTF-8, half of a surrogate pair, a mark before the text, 500 levels, a number of 135 bytes.
    private static let accepted: Set = [
        "i_number_double_huge_neg_exp", "i_number_neg_int_huge_exp", "i_number_pos_double_huge_exp",
        "i_number_real_neg_overflow", "i_number_real_pos_overflow", "i_number_real_underflow",
        "i_number_too_big_neg_int", "i_number_too_big_pos_int", "i_number_very_big_negative_int",
    ]

    /// Name and content. A line is `NAME PIECE…`; a piece is Base64, repeated with `*COUNT`, or `=` for nothing.
    private static func documents() throws -> [(name: String, bytes: [UInt8])] {
        let file = URL(filePath: #filePath).appending(path: "../../Suites/JSONTestSuite/documents.txt")
        let text = try String(contentsOf: file.standardized, encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            var bytes: [UInt8] = []
            for word in words.dropFirst() where word != "=" {
                let parts = word.split(separator: "*")
                let piece = try #require(Data(base64Encoded: String(parts[0])))
                let count = parts.count > 1 ? try #require(Int(parts[1])) : 1
                for _ in 0..<count { bytes += piece }
            }
            return (words[0], bytes)
        }
    }

    @Test func `is accepted and refused as it asks, but for names that come twice and long numbers`() throws {
        let documents = try Self.documents()
        #expect(documents.count == 318)
        for (name, bytes) in documents {
            let value = try? JSONParser.parse(bytes)
            let isExpected =
                name.hasPrefix("y_") ? Self.refused[name] == nil : Self.accepted.contains(name)
            #expect((value != nil) == isExpected, "\(name)")
            if let value { #expect(try JSONParser.parse(value.encoded()) == value, "\(name)") }
        }
    }
}
