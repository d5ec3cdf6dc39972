import HTTPMessage

/// The paths of the page: its files, and the sessions of browsers. They are no part of the API.
enum PageRoutes {
    /// All of them.
    static let routes: [Route] = [
        Route(.get, "/", scope: nil, answersJSON: false, handler: StartPage.handle),
        Route(.get, "/page/", scope: nil, answersJSON: false, handler: PageFiles.handle),
        Route(.get, "/page/{file}", scope: nil, answersJSON: false, handler: PageFiles.handle),
        Route(.get, "/page/{folder}/{path}", scope: nil, answersJSON: false, handler: PageFiles.handle),
        Route(.get, "/session", scope: nil, handler: SessionEndpoint.read),
        Route(
            .post, "/session", scope: nil, bodyBytesMax: RouteTable.commandBytesMax,
            repetition: .isHarmless, handler: SessionEndpoint.begin),
        Route(.delete, "/session", scope: nil, handler: SessionEndpoint.end),
    ]
}
