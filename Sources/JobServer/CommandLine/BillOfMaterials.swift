import Commands
import StrictJSON

/// The license of the program and its components with theirs, as CycloneDX 1.5 (ECMA-424) and as text.
enum BillOfMaterials {
    /// The components with their licenses, and the license of the program.
    static var text: String {
        let width = Component.all.map(\.name.count).max() ?? 0
        let groups: [(Component.Linkage, String)] = [
            (.included, "Included in the program"), (.system, "Libraries of the system"),
            (.optional, "Loaded only with --store"),
        ]
        let lists = groups.map { linkage, title in
            let lines = Component.all.filter { $0.linkage == linkage }.map { component in
                let name = component.name + String(repeating: " ", count: width - component.name.count)
                let version = component.version.map { " (\($0))" } ?? ""
                return "  \(name)  \(component.license)\(version)\n  "
                    + String(repeating: " ", count: width + 2) + "\(component.homepage)\n"
            }
            return "\(title):\n" + lines.joined()
        }
        return "\(BuildFacts.text)\n\(EmbeddedFile.license)\n" + lists.joined(separator: "\n")
    }

    /// CycloneDX JSON.
    static var json: String {
        var json = JSONWriter(capacity: 4096)
        json.beginObject()
        json.member("bomFormat", "CycloneDX")
        json.member("specVersion", "1.5")
        json.member("version", 1)
        json.name("metadata")
        json.beginObject()
        json.name("component")
        json.beginObject()
        json.member("type", "application")
        json.member("bom-ref", "jobserver")
        json.member("name", "jobserver")
        json.member("version", Version.text)
        license("MIT", to: &json)
        if !BuildFacts.commit.isEmpty {
            json.name("properties")
            json.beginArray()
            property("jobserver:commit", BuildFacts.commit, to: &json)
            json.endArray()
        }
        json.endObject()
        json.endObject()
        json.name("components")
        json.beginArray()
        for component in Component.all { write(component, to: &json) }
        json.endArray()
        json.name("dependencies")
        json.beginArray()
        json.beginObject()
        json.member("ref", "jobserver")
        json.name("dependsOn")
        json.beginArray()
        for component in Component.all { json.value(component.name) }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self) + "\n"
    }

    private static func write(_ component: Component, to json: inout JSONWriter) {
        json.beginObject()
        json.member("type", "library")
        json.member("bom-ref", component.name)
        json.member("name", component.name)
        if let version = component.version { json.member("version", version) }
        json.member("scope", component.linkage == .optional ? "optional" : "required")
        license(component.license, to: &json)
        json.name("externalReferences")
        json.beginArray()
        json.beginObject()
        json.member("type", "website")
        json.member("url", component.homepage)
        json.endObject()
        json.endArray()
        json.name("properties")
        json.beginArray()
        property("jobserver:linkage", component.linkage.rawValue, to: &json)
        for library in component.libraries { property("jobserver:library", library, to: &json) }
        json.endArray()
        json.endObject()
    }

    private static func license(_ expression: String, to json: inout JSONWriter) {
        json.name("licenses")
        json.beginArray()
        json.beginObject()
        json.member("expression", expression)
        json.endObject()
        json.endArray()
    }

    private static func property(_ name: String, _ value: String, to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", name)
        json.member("value", value)
        json.endObject()
    }
}
