import JobSpec
import StrictJSON

/// The plan of a job as JSON: what a spec means after defaults.
enum PlanBody {
    /// The bytes of the plan.
    static func bytes(
        _ spec: JobSpec, after warnings: [SpecWarning] = [], at moment: SpecWarning.Moment? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        SpecPlan(spec, after: warnings, at: moment).write(to: &json)
        return json.line()
    }
}
