import DurableJobs
import StrictJSON

// The durable kind of Docs/JobKit.md, which quotes each region word for word.

// region: durable kind
struct Picture: Codable {
    var path: String
    var width: Int
}

actor Workshop {
    func thumbnail(of path: String, width: Int) throws -> String {
        "\(width)-\(path)"
    }
}

let workshop = Workshop()

let thumbnail = DurableKind("thumbnail") { (picture: Picture, _) in
    try await workshop.thumbnail(of: picture.path, width: picture.width)
}
// end
