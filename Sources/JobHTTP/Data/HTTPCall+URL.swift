public import HTTPMessage

extension HTTPCall {
    /// A GET of `url` that follows up to 10 redirects.
    public init(url: String) {
        self.init(method: "GET", url: url)
        redirectsMax = 10
    }
}
