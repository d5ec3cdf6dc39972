/// The names of notes that the journal itself understands. A name that begins with `$` outlives another try.
package enum NoteName {
    /// The list that a map works through.
    package static let items = "$items"
    /// The poll location from an answer.
    package static let follow = "follow"
    /// The position of the next page, from the answer with a page; null when that is the last one.
    package static let next = "next"
}
