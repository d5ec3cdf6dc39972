import JobSpec

enum PlanText {
    /// The text of a plan as `jobserver check` prints it.
    static func render(_ spec: JobSpec) -> String { "valid\n" + SpecPlan(spec).text }
}
