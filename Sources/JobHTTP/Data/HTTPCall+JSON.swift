public import FoundationEssentials
public import HTTPMessage

extension HTTPCall {
    /// A call with `value` as JSON content.
    /// - Throws: the error of the encoder.
    public init(
        method: String = "POST", url: String, json value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws {
        self.init(
            method: method, url: url, fields: [("content-type", "application/json")],
            body: Array(try encoder.encode(value)))
    }
}
