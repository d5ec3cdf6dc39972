import FaultyHTTP
import HTTPMessage

extension TestAuthority {
    /// A route that trusts this authority and, when a name is given, shows that certificate.
    func route(showing name: String? = nil) throws -> HTTPCallRoute {
        var route = HTTPCallRoute()
        route.authoritiesPEM = try bytes("ca.pem")
        if let name {
            route.clientCertificatePEM = try bytes("\(name).pem")
            route.clientKeyPEM = try bytes("\(name).key")
        }
        return route
    }
}
