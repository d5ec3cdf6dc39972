/// The content of a form with several parts (`multipart/form-data`, RFC 7578).
package struct MultipartSpec: Sendable, Hashable {
    /// The parts, in order; a name may occur more than once.
    package var parts: [Part]

    /// A form with these parts.
    package init(parts: [Part]) { self.parts = parts }

    package struct Part: Sendable, Hashable {
        /// The name of the field.
        package var name: String
        /// The name of a file; nil for a plain field.
        package var filename: Binding?
        /// The media type; nil takes none for a text without a file name, otherwise what fits the content. An empty one
        /// is none.
        package var contentType: String?
        package var content: Content

        package init(name: String, content: Content, filename: Binding? = nil, contentType: String? = nil) {
            self.name = name
            self.content = content
            self.filename = filename
            self.contentType = contentType
        }
    }

    /// The content of a part.
    package enum Content: Sendable, Hashable {
        case text(Binding)
        case json(Binding)
        case base64([UInt8])
        case artifact(ContentReference)
    }
}
