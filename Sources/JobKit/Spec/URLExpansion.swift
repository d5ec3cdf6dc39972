/// stand-in until URITemplate lands
struct URLExpansion {
    let template: String
    func expanded(_ vars: [NetworkSpec.Entry], _ lookup: Binding.Lookup) throws(AOperationError) -> String {
        template
    }
}
