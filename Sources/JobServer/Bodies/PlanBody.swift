import JobSpec
import StrictJSON

/// The JSON of a plan: a spec with all defaults applied.
enum PlanBody {
    static func bytes(
        _ spec: JobSpec, after warnings: [SpecWarning] = [], at moment: SpecWarning.Moment? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        SpecPlan(spec, after: warnings, at: moment).write(to: &json)
        return json.line()
    }

    /// The short form, for a token that may not read: a plan shows what templates, queues and connections add to the
    /// spec.
    static let short = Array("{\"valid\":true}\n".utf8)
}
