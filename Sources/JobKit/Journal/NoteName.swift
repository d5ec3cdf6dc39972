/// The names of notes that the journal itself understands. A name that begins with `$` outlives another try.
package enum NoteName {
    /// The list that a map works through.
    package static let items = "$items"
    /// The name of the branch that was chosen.
    package static let choice = "$choice"
    /// The notes that are decided again when their operation starts over, even if it had succeeded.
    package static let decisions: Set<String> = [items, choice]
    /// The round of the callback URL that another operation handed out, and that operation.
    package static let handedOut = "$handed_out"
    /// The poll location from an answer.
    package static let follow = "follow"
    /// The position of the next page, from the answer with a page of a list; null when that is the last one.
    package static let next = "next"
    /// The position behind the lines of a part, which is then a part of a map over lines.
    package static let rest = "$rest"
    /// The facts about a page in a file, with the position of the next one, stored before its lines are.
    package static let lines = "lines"
    /// The numbers of the pages after which the file of all pages was begun anew.
    package static let starts = "$starts"
}
