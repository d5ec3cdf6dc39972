import HTTPMessage

/// The paths of the page's files. They are no part of the API.
enum PageRoutes {
    /// All of them.
    static let routes: [Route] = [
        Route(.get, "/page/", scope: nil, answersJSON: false, handler: PageFiles.handle),
        Route(.get, "/page/{file}", scope: nil, answersJSON: false, handler: PageFiles.handle),
        Route(.get, "/page/{folder}/{path}", scope: nil, answersJSON: false, handler: PageFiles.handle),
    ]
}
