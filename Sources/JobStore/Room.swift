/// The version of this room, raised when its border changes.
let roomRevision = 1
