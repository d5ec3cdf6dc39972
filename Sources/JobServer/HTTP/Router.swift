import HTTPMessage

/// Finds the route of a request by the bytes of its path.
struct Router: Sendable {
    /// What was found.
    enum Match: Sendable {
        /// The route, and the bytes of the path's parameter.
        case route(Route, ArraySlice<UInt8>)
        /// The path exists, but not for the method; these methods are possible.
        case otherMethods([String])
        /// There is no such path.
        case none
    }

    private struct Place: Sendable {
        let pattern: RoutePattern
        var routes: [Route]
    }

    private let places: [Place]

    /// A router of these routes.
    init(_ routes: [Route]) {
        var places: [Place] = []
        for route in routes {
            if let index = places.firstIndex(where: { $0.pattern == route.pattern }) {
                places[index].routes.append(route)
            } else {
                places.append(Place(pattern: route.pattern, routes: [route]))
            }
        }
        self.places = places
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

    private static func methods(of routes: [Route]) -> [String] {
        routes.flatMap { $0.method == .get ? ["GET", "HEAD"] : [$0.method.description] }
    }
}
