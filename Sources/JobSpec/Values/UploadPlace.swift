package import JobKit
package import StrictJSON

/// An upload that a spec names.
package struct UploadPlace: Sendable, Hashable {
    package var id: UploadID
    /// The place of its id; of one in a template, within that.
    package var pointer: JSONPointer
}
