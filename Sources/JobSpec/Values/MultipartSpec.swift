/// The content of a form with several parts (`multipart/form-data`, RFC 7578).
public struct MultipartSpec: Sendable, Hashable {
    /// The parts, in order; a name may occur more than once.
    public var parts: [Part]

    /// A form with these parts.
    public init(parts: [Part]) { self.parts = parts }

    /// One part.
    public struct Part: Sendable, Hashable {
        /// The name of the field.
        public var name: String
        /// The name of a file; nil for a plain field.
        public var filename: Binding?
        /// The media type; nil takes none for a text without a file name, otherwise what fits the content.
        public var contentType: String?
        /// The content.
        public var content: Content

        /// A part.
        public init(name: String, content: Content, filename: Binding? = nil, contentType: String? = nil) {
            self.name = name
            self.content = content
            self.filename = filename
            self.contentType = contentType
        }
    }

    /// The content of a part.
    public enum Content: Sendable, Hashable {
        case text(Binding)
        case json(Binding)
        case base64([UInt8])
        case artifact(ContentReference)
    }
}
