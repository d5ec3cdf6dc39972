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
}
