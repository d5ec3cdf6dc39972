import JobSpec
import StrictJSON

/// Members of a job that are shown only at its submission and with `?view=full`.
enum JobExtras {
    /// Spec warnings as members of the job; empty when there are none.
    static func warnings(_ warnings: [SpecWarning]) -> [UInt8] {
        warnings.isEmpty ? [] : members { write(warnings, to: &$0) }
    }

    /// All effective settings with their sources, and the warnings.
    static func full(_ spec: JobSpec) -> [UInt8] {
        members { json in
            json.name("effective")
            spec.writeEffective(to: &json)
            write(SpecPlan.warnings(of: spec), to: &json)
        }
    }

    private static func write(_ warnings: [SpecWarning], to json: inout JSONWriter) {
        json.name("warnings")
        SpecWarning.write(warnings, to: &json)
    }

    private static func members(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        write(&json)
        json.endObject()
        return Array(json.bytes.dropFirst().dropLast())
    }
}
