import Foundation
import StrictJSON

/// The parsed `openapi.yaml`.
struct APIDescription {
    let document: JSONValue

    /// The file, turned into JSON by PyYAML, once for all tests.
    static func load() async throws -> APIDescription { try await loaded.value }

    private static let loaded = Task {
        let script = "import json, yaml; print(json.dumps(yaml.safe_load(open('openapi.yaml'))))"
        let outcome = try await Shell.run(Shell.python, ["-c", script])
        return APIDescription(document: try JSONParser.parse(Array(outcome.output.utf8)))
    }

    /// Method and path of every route, such as `GET /v1/jobs`.
    var routes: Set<String> {
        var found: Set<String> = []
        for path in document.object?["paths"]?.object?.members ?? [] {
            for method in path.value.object?.members ?? [] where method.name != "parameters" {
                found.insert(method.name.uppercased() + " " + path.name)
            }
        }
        return found
    }

    /// The words of `enum` or `examples` of a schema.
    func words(_ schema: String, _ member: String = "enum") -> [String] {
        let place = document.object?["components"]?.object?["schemas"]?.object?[schema]
        return place?.object?[member]?.array?.compactMap(\.string) ?? []
    }

    /// The types of a discriminated schema, in order.
    func types(_ schema: String) -> [String] {
        let place = document.object?["components"]?.object?["schemas"]?.object?[schema]
        return place?.object?["discriminator"]?.object?["mapping"]?.object?.members.map(\.name) ?? []
    }

    func schema(_ name: String) -> JSONObject? {
        document.object?["components"]?.object?["schemas"]?.object?[name]?.object
    }

    /// The schemas of which a schema is one.
    func choices(_ schema: String) -> [JSONObject] {
        let list = self.schema(schema)?["oneOf"]?.array ?? []
        return list.compactMap { $0.object?["$ref"]?.string?.split(separator: "/").last }
            .compactMap { self.schema(String($0)) }
    }

    /// The schema of one of the types of a discriminated schema.
    func schema(of type: String, in schema: String) -> JSONObject? {
        let schemas = document.object?["components"]?.object?["schemas"]?.object
        let mapping = schemas?[schema]?.object?["discriminator"]?.object?["mapping"]?.object
        let name = mapping?[type]?.string?.split(separator: "/").last.map(String.init)
        return name.flatMap { self.schema($0) }
    }

    /// The statuses that a route documents.
    func statuses(_ route: String) -> Set<String> {
        let parts = route.split(separator: " ").map(String.init)
        let operation = document.object?["paths"]?.object?[parts[1]]?.object?[parts[0].lowercased()]
        return Set((operation?.object?["responses"]?.object?.members ?? []).map(\.name))
    }

    /// The `operationId` of a route.
    func name(of route: String) -> String? { operation(route)?["operationId"]?.string }

    /// The `x-stability` of a route.
    func stability(_ route: String) -> String { operation(route)?["x-stability"]?.string ?? "stable" }

    private func operation(_ route: String) -> JSONObject? {
        let parts = route.split(separator: " ").map(String.init)
        return document.object?["paths"]?.object?[parts[1]]?.object?[parts[0].lowercased()]?.object
    }

    /// Whether a route takes one of the shared parameters.
    func takes(_ parameter: String, _ route: String) -> Bool {
        let parts = route.split(separator: " ").map(String.init)
        let operation = document.object?["paths"]?.object?[parts[1]]?.object?[parts[0].lowercased()]
        let place = JSONValue.string("#/components/parameters/" + parameter)
        return operation?.object?["parameters"]?.array?.contains { $0.object?["$ref"] == place } ?? false
    }

    /// The names of the fields that an answer of a route has, as far as they are documented.
    func fields(_ route: String, _ status: String) -> Set<String> {
        let parts = route.split(separator: " ").map(String.init)
        let operation = document.object?["paths"]?.object?[parts[1]]?.object?[parts[0].lowercased()]
        let answer = operation?.object?["responses"]?.object?[status]?.object
        return Set((answer?["headers"]?.object?.members ?? []).map(\.name))
    }

    /// The scopes, one of which a token needs for a route; those of the document unless the route says its own.
    func scopes(_ route: String) -> [String] {
        let ways = (operation(route)?["security"] ?? document.object?["security"])?.array ?? []
        return ways.flatMap { $0.object?["bearer"]?.array?.compactMap(\.string) ?? [] }
    }
}
