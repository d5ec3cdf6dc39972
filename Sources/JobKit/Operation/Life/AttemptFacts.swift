internal import HTTPMessage

/// The current attempt of an operation and its last call.
struct AttemptFacts {
    private(set) var number = 0
    /// Whether it is in flight, of an operation that keeps its run meanwhile.
    var keepsItsRun = false
    private(set) var exchange: HTTPCallExchange?
    private(set) var status: Int?
    /// The right to make the call of the attempt that begins.
    private var pass: OriginPass?
    /// The origin of the last call.
    var origin: String?

    mutating func begin(_ number: Int) {
        self.number = number
        exchange = nil
        status = nil
    }

    mutating func note(_ exchange: HTTPCallExchange, status: Int?) {
        self.exchange = exchange
        self.status = status
    }

    mutating func give(_ pass: OriginPass) { self.pass = pass }

    /// Takes the pass for the call, if it fits.
    mutating func takePass(where fits: (OriginPass) -> Bool) -> OriginPass? {
        guard let pass, fits(pass) else { return nil }
        self.pass = nil
        origin = pass.origin
        return pass
    }
}
