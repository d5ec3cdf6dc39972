package import JobSpec
package import StrictJSON

extension SpecProblem {
    /// The problem of a spec, or a member, on a server that has no callback URLs.
    /// - Parameter place: where the first of them is handed out; nil when none is.
    package static func missingAddress(at place: JSONPointer?) -> SpecProblem? {
        place.map { place in
            SpecProblem(
                pointer: place, code: SpecProblemCode.notAvailable.rawValue,
                detail:
                    "This server does not know the URL at which others reach it, so it has no callback URLs. Start it "
                    + "with --public-url, such as --public-url https://jobs.example.com.")
        }
    }
}
