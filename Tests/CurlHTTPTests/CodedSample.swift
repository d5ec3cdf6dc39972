import Foundation

/// One text in each coding of HTTP.
enum CodedSample: String, CaseIterable, Sendable {
    case gzip, deflate, bare, br, zstd

    /// The text.
    static let text = (0..<40).map { "line \($0) of the sample\n" }.joined()

    /// The value of `Content-Encoding`. Many servers send deflate without zlib's header and trailer.
    var coding: String { self == .bare ? "deflate" : rawValue }

    /// Whether several can follow one another in the same content.
    var hasMembers: Bool { self == .gzip || self == .zstd }

    /// The text in this coding.
    var bytes: [UInt8] { Array(Data(base64Encoded: base64) ?? Data()) }

    private var base64: String {
        switch self {
        case .gzip:
            "H4sIAAAAAAACA23SOwpCQRBFwdxVzBLsvn6XY/DkCeMHdP+IqVR6oi5uz9tjGdvxvI7Puoz35f6ay2b+Yim2YhR3"
                + "invFg+JR8aR45vEm0VREFVVFVtFVhBVlRVrR1rS196KtaWvamramrWlr2pq20Bba4mekLbSFttAW2kJb/m1fV5Nb"
                + "O2YDAAA="
        case .deflate:
            "eNpt0jsKQkEQRcHcVcwS7L5+l2Pw5AnjB3T/iKlUeqIubs/bYxnb8byOz7qM9+X+mstm/mIptmIUd4p7xYPiUfGk"
                + "eObxJtFURBVVRVbRVYQVZUVa0da0tfeirWlr2pq2pq1pa9qattAW2uJnpC20hbbQFtpCW/5tX4eFHbA="
        case .bare:
            "bdI7CkJBEEXB3FXMEuy+fpdj8OQJ4wd0/4ipVHqiLm7P22MZ2/G8js+6jPfl/prLZv5iKbZiFHeKe8WD4lHxpHjm"
                + "8SbRVEQVVUVW0VWEFWVFWtHWtLX3oq1pa9qatqataWvamrbQFtriZ6QttIW20BbaQlv+bV8="
        case .br:
            "G2UDAIzEOBbyxJlQUvHQJzTA5vWU2Rvi4NwbHi2NNLLqpdpYbffXb7PkPEGQFM2wOVzeA1k3MC3bcXu8vMwyTMt2"
                + "3B4vL6sM07Idt8dbHQ=="
        case .zstd:
            "KLUv/WRmAs0CAOJDDRGwOyBLcIdgWBFlZmYEYqArAUO8N69m2CHem1cz6BDvzauZQ7w3ryYoqSnisJyHhmHAslAK"
                + "KKgRwLd/B+DlahE0BO8QRuoHp3VOPIPckDUFWC9CBGQVbBLKLA=="
        }
    }
}
