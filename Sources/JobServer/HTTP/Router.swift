import HTTPMessage

/// Matches requests to routes by the bytes of their path.
struct Router: Sendable {
    /// All methods of the API, as `Allow` lists them.
    static let methods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

    enum Match: Sendable {
        /// The route, and the bytes of the first parameter.
        case route(Route, ArraySlice<UInt8>)
        /// The path exists, but not for the method; the value lists its methods.
        case otherMethods([String])
        case none
    }

    /// A class, so that the search copies nothing of most places: one byte of the path tells that they are others.
    private final class Place: Sendable {
        let pattern: RoutePattern
        let routes: [Route]
        /// A byte of the pattern's prefix, where most paths differ: the first behind the version.
        private let offset: Int
        private let byte: UInt8

        init(pattern: RoutePattern, routes: [Route]) {
            self.pattern = pattern
            self.routes = routes
            offset = min(4, pattern.prefix.count - 1)
            byte = pattern.prefix[offset]
        }

        func match(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            guard path.count > offset, path[path.startIndex + offset] == byte else { return nil }
            return pattern.match(path)
        }
    }

    private let places: [Place]

    init(_ routes: [Route]) {
        var patterns: [RoutePattern] = []
        for route in routes where !patterns.contains(route.pattern) { patterns.append(route.pattern) }
        places = patterns.map { pattern in
            Place(pattern: pattern, routes: routes.filter { $0.pattern == pattern })
        }
    }

    /// The route for a method and a raw path without its query. HEAD is matched as GET.
    func match(_ method: HTTPMethod, _ path: ArraySlice<UInt8>) -> Match {
        for place in places {
            guard let parameter = place.match(path) else { continue }
            let wanted = method == .head ? .get : method
            for route in place.routes where route.method == wanted { return .route(route, parameter) }
            return .otherMethods(Router.methods(of: place.routes))
        }
        return .none
    }

    /// The paths of all lists, in their order.
    var lists: [String] {
        places.filter { $0.pattern.isList && $0.routes.contains { $0.method == .get } }
            .map(\.pattern.text).sorted()
    }

    /// The path that was probably meant by one with a trailing slash, or with a slash instead of a colon before a
    /// command; nil when that does not exist either.
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
