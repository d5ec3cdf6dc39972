internal import HTTPMessage
internal import JobKit

/// The last steps of a call: target, authentication and route. All confidential values are inserted here, at the
/// attempt's time, and appear in no spec, journal or log.
struct CallDispatch {
    let context: OperationContext
    let references: ReferenceReader
    let spec: NetworkSpec
    let connection: ConnectionSpec?
    private let tokens: TokenCache

    /// - Parameter references: those of the attempt.
    /// - Throws: `auth.connection_missing`.
    init(
        _ spec: NetworkSpec, by services: CallServices, in context: OperationContext,
        _ references: ReferenceReader
    ) throws(AOperationError) {
        self.context = context
        self.references = references
        self.spec = spec
        tokens = services.tokens
        connection = try spec.connection(in: services.connections)
    }

    /// Makes the request, lets `shape` change it, and sends it.
    /// - Throws: an error without confidential values.
    func send(
        _ shape: (inout HTTPCall) -> Void = { _ in }
    ) async throws(AOperationError) -> HTTPCallAnswer {
        var call = try await makeCall()
        guard !isPlain else {
            shape(&call)
            return try await exchange(call)
        }
        return try await send(&call, shape)
    }

    /// The form in which a URL from an answer of `url` is sent: signed like the call when it has the same origin.
    func sentForm(of next: String, after url: String) -> String {
        guard (try? URLParts(next))?.origin == (try? URLParts(url))?.origin else { return next }
        return spec.sentForm(of: next, by: connection)
    }

    // Not inlined, since it would enlarge the frame of every plain call in flight.

    @inline(never)
    private func send(
        _ call: inout HTTPCall, _ shape: (inout HTTPCall) -> Void
    ) async throws(AOperationError) -> HTTPCallAnswer {
        let before = call.url
        shape(&call)
        let origin = (try? URLParts(call.url))?.origin
        let isHome = call.url == before || origin != nil && origin == (try? URLParts(before))?.origin
        let isWithin = isHome && connection?.covers(call.url, of: spec) ?? false
        call.route = try await route(of: call, isHome: isHome, isWithin: isWithin)
        if !call.route.egressAllow.isEmpty { call.redirectScope = .sameHost }
        if isWithin, call.redirectScope == .anywhereWithCredentials { call.redirectScope = .anywhere }
        guard let credentials = auth(isHome: isHome, isWithin: isWithin).credentials else {
            return try await exchange(call)
        }
        let secrets = context.secrets
        let identity = try await references.evaluate { lookup throws(AOperationError) in
            try credentials.identity(lookup: lookup, secrets: secrets)
        }
        return try await send(call, as: identity)
    }

    /// The request with everything filled in.
    /// - Parameter path: default that of the attempt's idempotency key.
    func makeCall(path: [String]? = nil) async throws(AOperationError) -> HTTPCall {
        let (seed, path) = (context.seed, path ?? context.core.callPath)
        let content = try await StreamedContent.make(spec, references, in: context, path: path)
        var made = spec
        if content != nil { made.body = nil }
        var call = try await references.evaluate { [made, connection] lookup throws(AOperationError) in
            try made.makeCall(lookup: lookup, seed: seed, path: path, connection: connection)
        }
        content?.apply(to: &call)
        return call
    }

    /// Whether the call has neither authentication nor a special route.
    private var isPlain: Bool {
        connection == nil && spec.auth.isNone && spec.proxy == nil && spec.tls == NetworkSpec.TLS()
    }

    /// The request's authentication while the call stays at its origin, else the connection's while it stays at that of
    /// the connection.
    private func auth(isHome: Bool, isWithin: Bool) -> NetworkSpec.Auth {
        if spec.hasOwnAuth { return isHome ? spec.auth : .none }
        return isWithin ? connection?.auth ?? .none : .none
    }

    private func send(
        _ call: HTTPCall, as identity: CallIdentity
    ) async throws(AOperationError) -> HTTPCallAnswer {
        var call = call
        switch identity {
        case .basic, .bearer, .field:
            guard let field = identity.field else { break }
            try NetworkSpec.add(field.name, field.value, to: &call)
            call.confidentialFields.insert(field.name.lowercased())
        case .fetchedToken(let client): return try await sendWithToken(call, client)
        case .signature(let sign):
            call = try await signed(call, sign)
        }
        return try await exchange(call)
    }

    /// The signed call. Large content is digested elsewhere than on the loop of all jobs.
    private func signed(
        _ call: HTTPCall, _ sign: @escaping CallIdentity.Signing
    ) async throws(AOperationError) -> HTTPCall {
        let id = ([context.seed] + context.core.callPath).joined(separator: "/")
        let signing = CallSigning(digests: try digests(), id: id, now: context.clock.now)
        let make: @Sendable () -> Result<HTTPCall, AOperationError> = {
            Result { () throws(AOperationError) in
                var call = call
                try sign(&call, signing)
                return call
            }
        }
        let count = call.source?.byteCount ?? call.body?.count ?? 0
        return try await context.core.environment.workedOut(count, make).get()
    }

    private func digests() throws(AOperationError) -> any MessageDigests {
        if let digests = context.core.environment.digests { return digests }
        throw AOperationError(.authSignature, detail: "This queue's environment has no digests to sign with.")
    }

    private func exchange(_ call: HTTPCall) async throws(AOperationError) -> HTTPCallAnswer {
        do { return try await context.send(call) } catch { throw AOperationError(specCallFailure: error) }
    }

    // MARK: The way

    /// The route, which may be other than the default one. Only calls to the original origin show a certificate, and
    /// only those within the connection's origin reach the addresses that the connection allows.
    private func route(
        of call: HTTPCall, isHome: Bool, isWithin: Bool
    ) async throws(AOperationError) -> HTTPCallRoute {
        guard connection != nil || spec.tls != NetworkSpec.TLS() || spec.proxy != nil else {
            return call.route
        }
        return try await references.evaluate { lookup throws(AOperationError) in
            var route = call.route
            if let connection {
                try apply(connection.tls, to: &route, showsCertificate: isWithin, lookup)
                try apply(connection.proxy, to: &route, lookup)
                if isWithin { route.egressAllow += connection.egress }
            }
            try apply(spec.tls, to: &route, showsCertificate: isHome, lookup)
            try apply(spec.proxy, to: &route, lookup)
            return route
        }
    }

    private func apply(
        _ tls: NetworkSpec.TLS, to route: inout HTTPCallRoute, showsCertificate: Bool,
        _ lookup: Binding.Lookup
    ) throws(AOperationError) {
        if let authorities = tls.authorities { route.authoritiesPEM = Array(authorities.utf8) }
        switch tls.minimum {
        case .v1_2: route.tlsMinimum = .v1_2
        case .v1_3: route.tlsMinimum = .v1_3
        case nil: break
        }
        guard showsCertificate, let certificate = tls.clientCertificate else { return }
        let secrets = context.secrets
        let shown = try certificate.resolveBytes("tls.client_cert", lookup: lookup, secrets: secrets)
        route.clientCertificatePEM = shown
        route.clientKeyPEM =
            try tls.clientKey?.resolveBytes("tls.client_key", lookup: lookup, secrets: secrets) ?? shown
    }

    private func apply(
        _ proxy: NetworkSpec.Proxy?, to route: inout HTTPCallRoute, _ lookup: Binding.Lookup
    ) throws(AOperationError) {
        guard let proxy else { return }
        route.proxy = proxy.url
        route.proxyBypass = proxy.bypass
        route.proxyUser = try proxy.username?.resolveText("proxy.username", lookup: lookup)
        route.proxyPassword = try proxy.password?.resolveText("proxy.password", lookup: lookup)
    }

    // MARK: Tokens

    /// Sends the call with a token; if the upstream rejects it, again with a new one.
    private func sendWithToken(
        _ call: HTTPCall, _ client: OAuth2Client
    ) async throws(AOperationError) -> HTTPCallAnswer {
        let first = try await token(for: client, call)
        var attempt = call
        try NetworkSpec.add("Authorization", "Bearer \(first.text)", to: &attempt)
        attempt.sink = call.sink.map { AcceptedSink($0) }
        let answer = try await exchange(attempt)
        guard answer.status == 401 else { return answer }
        let second = try await token(for: client, call, rejected: first.number)
        attempt = call
        try NetworkSpec.add("Authorization", "Bearer \(second.text)", to: &attempt)
        return try await exchange(attempt)
    }

    private func token(
        for client: OAuth2Client, _ call: HTTPCall, rejected: UInt64? = nil
    ) async throws(AOperationError) -> TokenCache.Token {
        let environment = context.core.environment
        return try await tokens.token(for: client, rejected: rejected, clock: context.clock) {
            () throws(AOperationError) in
            try await fetch(client, call, environment)
        }
    }

    /// Fetches a token. The answer is read before it is scrubbed, and never stored.
    private func fetch(
        _ client: OAuth2Client, _ call: HTTPCall, _ environment: OperationEnvironment
    ) async throws(AOperationError) -> OAuth2Client.Grant {
        guard let transport = environment.transport else {
            throw AOperationError(.authTokenFetch, detail: "This queue's environment has no transport.")
        }
        let scrubber = environment.scrubber
        scrubber.know(passing: client.basicPair)
        let answer: HTTPCallAnswer
        var request = client.request(for: call)
        // The ranges of a connection apply to its origin, and to the endpoint from which it fetches tokens.
        if spec.hasOwnAuth, !request.route.egressAllow.isEmpty { request.route.egressAllow = [] }
        do throws(HTTPCallFailure) { answer = try await transport.send(request) } catch {
            throw scrubber.scrubbed(client.error(error))
        }
        switch client.grant(in: answer) {
        case .success(let grant):
            for text in grant.confidential { scrubber.know(passing: Array(text.utf8)) }
            return grant
        case .failure(let error): throw scrubber.scrubbed(error)
        }
    }
}

extension NetworkSpec {
    /// The connection that the call names, if any.
    /// - Throws: `auth.connection_missing`; nothing was sent.
    func connection(in book: (any ConnectionBook)?) throws(AOperationError) -> ConnectionSpec? {
        guard let name = connection else { return nil }
        if let found = book?.connection(named: name) { return found }
        var error = AOperationError(
            .authConnectionMissing,
            detail:
                "There is no connection \(name). Store it with PUT /v1/connections/\(name), then retry the job."
        )
        error.delivery = HTTPCallDelivery.notSent.rawValue
        throw error
    }
}
