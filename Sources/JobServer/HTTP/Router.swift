import HTTPMessage

/// Finds the route of a request by the bytes of its path.
struct Router: Sendable {
    /// All methods that routes have, as `Allow` lists them.
    static let methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

    /// What was found.
    enum Match: Sendable {
        /// The route, and the bytes of the path's parameter.
        case route(Route, ArraySlice<UInt8>)
        /// The path exists, but not for the method; these methods are possible.
        case otherMethods([String])
        /// There is no such path.
        case none
    }

    /// A class, so that looking through the places touches no reference counts of what is inside.
    private final class Place: Sendable {
        let pattern: RoutePattern
        let routes: [Route]

        init(pattern: RoutePattern, routes: [Route]) {
            self.pattern = pattern
            self.routes = routes
        }
    }

    private let places: [Place]

    /// A router of these routes.
    init(_ routes: [Route]) {
        var patterns: [RoutePattern] = []
        for route in routes where !patterns.contains(route.pattern) { patterns.append(route.pattern) }
        places = patterns.map { pattern in
            Place(pattern: pattern, routes: routes.filter { $0.pattern == pattern })
        }
    }

    /// The route for a method and the raw path (without query). HEAD is answered as GET.
    func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
        for place in places {
            guard let parameter = place.pattern.match(path) else { continue }
            let wanted = method == .head ? .get : method
            for route in place.routes where route.method == wanted { return .route(route, parameter) }
            return .otherMethods(Router.methods(of: place.routes))
        }
        return .none
    }

    /// The path that somebody means who ends it with a slash, or writes a command behind a slash rather than a colon;
    /// nil when that leads nowhere either.
    func meant(by method: HTTPMethod, _ path: ArraySlice<UInt8>) -> String? {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return nil }
        let isEnd = slash == path.endIndex - 1
        let other = path[..<slash] + (isEnd ? [] : [UInt8(ascii: ":")] + path[(slash + 1)...])
        guard case .route(let route, _) = match(method, other) else { return nil }
        return route.pattern.text
    }

    private static func methods(of routes: [Route]) -> [String] {
        routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.description] }
    }
}
