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
        reading.members(of: value, "save", known: ["artifact", "max_bytes"]) { reading, name, value in
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
        guard let text = reading.string(value, bytes: 1...Self.artifactNameBytesMax) else { return nil }
        guard Self.isArtifactName(text) else {
            reading.note(
                .badName,
                "The name of an artifact has letters, digits, \".\", \"_\" and \"-\", with no \".\" at the front."
            )
            return nil
        }
        return text
    }

    /// The maximum length of the name of an artifact, in bytes.
    static let artifactNameBytesMax = 100

    /// Whether the name of an artifact may have this byte.
    static func isArtifactByte(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }

    private static func isArtifactName(_ text: String) -> Bool {
        text.utf8.allSatisfy(isArtifactByte) && (1...artifactNameBytesMax).contains(text.utf8.count)
            && text.utf8.first != 0x2E
    }
}
