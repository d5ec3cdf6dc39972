/// The paths that strangers may reach, on the public listener as on the other: one who knows an address there, or signs
/// what it is sent, needs no token.
enum PublicPaths {
    private static let places = ["/hooks/", "/callbacks/", "/ping/"].map { Array($0.utf8) }

    /// Whether a route is one of them.
    static func contain(_ pattern: RoutePattern) -> Bool {
        let path = pattern.text.utf8
        return path.elementsEqual("/healthz".utf8) || places.contains { path.starts(with: $0) }
    }
}
