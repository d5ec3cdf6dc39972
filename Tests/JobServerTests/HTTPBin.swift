/// httpbin on a free port, until it is released.
final class HTTPBin {
    private let server: PythonServer

    private static let program = """
        from httpbin import app
        from werkzeug.serving import make_server
        server = make_server('127.0.0.1', 0, app, threaded=True)
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    init() throws { server = try PythonServer(["-c", Self.program]) }

    var port: Int { server.port }

    func url(_ path: String) -> String { server.url(path) }
}
