import EventIO

/// A request on its way from its head, by which it was admitted, to its endpoint.
final class AdmittedRequest: HTTPRequestHandler {
    /// The loop's part of the server.
    let door: LoopDoor
    let route: Route
    /// The path that was routed: without the prefix of a proxy.
    let path: ArraySlice<UInt8>
    /// The first parameter of the path.
    let parameter: ArraySlice<UInt8>
    let permission: Permission

    init(
        _ door: LoopDoor, _ route: Route, path: ArraySlice<UInt8>, parameter: ArraySlice<UInt8>,
        _ permission: Permission
    ) {
        self.door = door
        self.route = route
        self.path = path
        self.parameter = parameter
        self.permission = permission
    }

    func handle(_ exchange: HTTPExchange) { door.handle(exchange, of: self) }
}
