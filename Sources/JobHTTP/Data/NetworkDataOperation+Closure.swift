public import FoundationEssentials
public import HTTPMessage
public import JobKit

extension NetworkDataOperation {
    /// Gets `url`, following up to 10 redirects, and makes a value of the content.
    ///
    /// ```swift
    /// NetworkDataOperation(url: "https://…") { data, _ in try JSONDecoder().decode(Repo.self, from: data) }
    /// ```
    /// - Parameters:
    ///   - url: an absolute `http` or `https` URL.
    ///   - name: the display name; nil is the name of the result's type.
    ///   - parse: called once per attempt, for an answer with a status below 400. Other answers and failed calls fail
    ///     the operation.
    public init<Output>(
        url: String, name: String? = nil, parse: @escaping ClosureEvaluator<Output>.Parse
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(HTTPCall(url: url), name: name, parse: parse)
    }

    /// The same for a `URL`.
    public init<Output>(
        url: URL, name: String? = nil, parse: @escaping ClosureEvaluator<Output>.Parse
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(HTTPCall(url: url.absoluteString), name: name, parse: parse)
    }

    /// Makes `call`, which may have another method, fields, content, limits and a route, and makes a value of the
    /// content of its answer.
    public init<Output>(
        _ call: HTTPCall, name: String? = nil, parse: @escaping ClosureEvaluator<Output>.Parse
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(ClosureEvaluator(call, parse: parse), name: name ?? String(describing: Output.self))
    }

    /// Gets `url`, following up to 10 redirects, and decodes the content as JSON.
    public init<Output: Decodable>(
        url: String, as type: Output.Type, name: String? = nil
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(HTTPCall(url: url), as: type, name: name)
    }

    /// The same for a `URL`.
    public init<Output: Decodable>(
        url: URL, as type: Output.Type, name: String? = nil
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(HTTPCall(url: url.absoluteString), as: type, name: name)
    }

    /// Makes `call` and decodes the content of its answer as JSON.
    public init<Output: Decodable>(
        _ call: HTTPCall, as type: Output.Type, name: String? = nil
    ) where Evaluator == ClosureEvaluator<Output> {
        self.init(ClosureEvaluator(call), name: name ?? String(describing: type))
    }
}
