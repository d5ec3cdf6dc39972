internal import StrictJSON

/// Reads where the content of an answer goes.
enum TargetReader {
    /// The largest content that a spec can allow: 1 TiB.
    static let bytesMax = 1 << 40

    /// The destination of an answer's content.
    static func target(_ value: JSONValue, _ reading: inout SpecReading) -> ArtifactSpec {
        var target = ArtifactSpec()
        if let text = value.string {
            // Content is stored by the server; paths in its file system are refused.
            let name = text.split(separator: "/").last.map(String.init) ?? ""
            reading.wrongType(
                value, "an object",
                suggestion: Self.isArtifactName(name) ? "{\"artifact\": \"\(name)\"}" : nil)
            return target
        }
        reading.members(of: value, "to", known: ["artifact", "max_bytes"]) { reading, name, value in
            switch name {
            case "artifact": target.name = artifactName(value, &reading)
            case "max_bytes":
                target.bytesMax =
                    reading.int(value, in: 1...Self.bytesMax) ?? ArtifactSpec.bytesDefault
            default: return false
            }
            return true
        }
        return target
    }

    private static func artifactName(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let text = reading.string(value, bytes: 1...100) else { return nil }
        guard Self.isArtifactName(text) else {
            reading.note(
                .badName,
                "The name of an artifact has letters, digits, \".\", \"_\" and \"-\", with no \".\" at the front."
            )
            return nil
        }
        return text
    }

    private static func isArtifactName(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x2E || byte == 0x5F
        }
        return isPlain && (1...100).contains(text.utf8.count) && !text.hasPrefix(".")
    }
}
