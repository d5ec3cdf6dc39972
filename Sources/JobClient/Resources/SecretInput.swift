internal import Commands
internal import EventIO
internal import FoundationEssentials
internal import StrictJSON

/// The value of a secret, from a file or from standard input.
enum SecretInput {
    /// The maximum size of a value.
    private static let bytesMax = 64 << 10

    /// The content of the request that stores the value: a text, or bytes that are none.
    /// - Parameter isExact: whether a line end at the end belongs to a text.
    static func content(_ path: String, isExact: Bool) throws(CommandFailure) -> JSONObject {
        if path == "-", DescriptorOutput(descriptor: DescriptorInput.standardInput.descriptor).isTerminal {
            DescriptorOutput.standardError.write(
                Array("The value, and then Ctrl-D at the beginning of a line:\n".utf8))
        }
        guard var bytes = SpecInput.content(path, bytesMax: bytesMax + 2) else {
            throw SpecInput.unreadable(path)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return JSONObject([("base64", .string(Data(bytes).base64EncodedString()))])
        }
        guard !isExact, bytes.last == 0x0A else { return JSONObject([("text", .string(text))]) }
        bytes.removeLast()
        if bytes.last == 0x0D { bytes.removeLast() }
        return JSONObject([("text", .string(String(decoding: bytes, as: UTF8.self)))])
    }
}
