/// A named fact about a span or about its resource.
package struct TraceAttribute: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case whole(Int64)
    }

    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}
