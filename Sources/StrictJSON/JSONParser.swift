/// A parser for JSON exactly as RFC 8259 defines it.
///
/// Refused, each with its position: byte order marks, comments, trailing commas, leading zeros, unescaped control
/// characters, lone surrogates, invalid UTF-8, repeated member names (compared as bytes, after unescaping), anything
/// after the value, and whatever exceeds the limits.
public enum JSONParser {
    /// Parses one document.
    ///
    /// - Parameters:
    ///   - bytes: the whole document in UTF-8; white space around the value is allowed.
    ///   - limits: the limits of the document.
    /// - Returns: the value; objects keep the order of their members and numbers keep their text.
    /// - Throws: the first problem, with its byte offset, line, column and JSON Pointer.
    public static func parse(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits()
    ) throws(JSONParseError) -> JSONValue {
        try parse(bytes.span, limits: limits)
    }

    /// Parses one document from borrowed bytes; otherwise like `parse(_:limits:)` of an array.
    /// - Throws: when the bytes are not one JSON document within the limits.
    public static func parse(
        _ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
    ) throws(JSONParseError) -> JSONValue {
        var reader = JSONReader(limits: limits)
        do {
            return try reader.document(bytes)
        } catch {
            throw JSONParseError(error, in: bytes)
        }
    }

    /// Parses one document from text; otherwise like `parse(_:limits:)` of an array.
    /// - Throws: when the text is not one JSON document within the limits.
    public static func parse(
        text: String, limits: JSONLimits = JSONLimits()
    ) throws(JSONParseError) -> JSONValue {
        try parse(text.utf8.span, limits: limits)
    }
}
