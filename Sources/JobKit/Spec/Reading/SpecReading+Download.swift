internal import HTTPMessage
internal import StrictJSON

/// Downloads, and where content goes.
extension SpecReading {
    /// The largest content that a spec can allow: 1 TiB.
    private static let contentBytesMax = 1 << 40

    mutating func download(_ object: JSONObject, _ draft: inout OperationDraft) -> DownloadSpec? {
        let call = call(object, &draft)
        let resumes = object["resume"].flatMap { value in inside("resume") { $0.bool(value) } } ?? true
        let verify = object["verify"].map { value in inside("verify") { $0.verification(value) } }
        if let call { checkDownload(call, resumes: resumes) }
        guard let call else { return nil }
        var download = DownloadSpec(call: call)
        if draft.timeouts.attempt == nil && defaults.timeouts.attempt == nil {
            download.call.attemptTimeout = DownloadSpec.attemptTimeout
        }
        download.resumes = resumes
        download.verify = verify ?? DownloadSpec.Verification()
        if let size = download.verify.size, size > call.target.bytesMax {
            inside("verify") {
                $0.note(
                    member: "size", .conflict,
                    "The content is to have \(size) bytes, and at most \(call.target.bytesMax) are taken. "
                        + "Raise to.max_bytes.")
            }
        }
        return download
    }

    private mutating func checkDownload(_ call: NetworkSpec, resumes: Bool) {
        enter("request")
        defer { leave() }
        if resumes && call.method != "GET" {
            note(
                member: "method", .conflict,
                "Only a GET can be gone on with. Use GET, or say \"resume\": false beside \"request\".")
        }
        if call.isConditional {
            note(
                member: "conditional", .conflict,
                "A download asks for parts of content that it knows. Leave \"conditional\" out.")
        }
        if call.keepsCookies {
            note(
                member: "cookies", .conflict,
                "A download keeps no cookies. Log in with an operation of type network, and leave \"cookies\" out."
            )
        }
        for header in call.headers where ["range", "if-range"].contains(header.name.lowercased()) {
            note(
                member: "headers", .conflict,
                "\"\(header.name)\" is set by the download itself. Leave it out.")
        }
    }

    private mutating func verification(_ value: JSONValue) -> DownloadSpec.Verification {
        var verify = DownloadSpec.Verification()
        if let text = value.string {
            wrongType(value, "an object", suggestion: "{\"sha256\": \"\(Self.quotable(text))\"}")
            return verify
        }
        members(of: value, "verify", known: ["sha256", "size", "content_type"]) { reading, name, value in
            switch name {
            case "sha256": verify.sha256 = reading.sha256(value)
            case "size": verify.size = reading.int(value, in: 0...Self.contentBytesMax)
            case "content_type": verify.contentType = reading.mediaType(value)?.description
            default: return false
            }
            return true
        }
        return verify
    }

    private mutating func sha256(_ value: JSONValue) -> Binding {
        let binding = textBinding(value)
        if case .literal(let value) = binding, let text = value.string,
            !ArtifactReference.isDigest(text.lowercased())
        {
            note(
                .outOfRange,
                "A SHA-256 is 64 hexadecimal digits, as sha256sum prints it; this has \(text.utf8.count) bytes."
            )
        }
        return binding
    }

    /// Where the content of an answer goes.
    mutating func target(_ value: JSONValue) -> ArtifactSpec {
        var target = ArtifactSpec()
        if let text = value.string {
            // Content is kept by the server; a path in its file system is no place for it.
            let name = text.split(separator: "/").last.map(String.init) ?? ""
            wrongType(
                value, "an object",
                suggestion: Self.isArtifactName(name) ? "{\"artifact\": \"\(name)\"}" : nil)
            return target
        }
        members(of: value, "to", known: ["artifact", "max_bytes"]) { reading, name, value in
            switch name {
            case "artifact": target.name = reading.artifactName(value)
            case "max_bytes":
                target.bytesMax =
                    reading.int(value, in: 1...Self.contentBytesMax) ?? ArtifactSpec.bytesDefault
            default: return false
            }
            return true
        }
        return target
    }

    private mutating func artifactName(_ value: JSONValue) -> String? {
        guard let text = string(value, bytes: 1...100) else { return nil }
        guard Self.isArtifactName(text) else {
            note(
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
