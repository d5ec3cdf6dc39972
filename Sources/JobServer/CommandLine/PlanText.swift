import JobSpec

/// The plan of a job for people.
enum PlanText {
    /// The text.
    static func render(_ spec: JobSpec) -> String { "valid\n" + SpecPlan(spec).text }
}
