import StrictJSON
import Testing

@Suite struct `A JSON number` {
    private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text: text)) }

    @Test func `gives machine integers only when they are exact`() throws {
        #expect(try number("9223372036854775807").int64 == .max)
        #expect(try number("-9223372036854775808").int64 == .min)
        #expect(try number("9223372036854775808").int64 == nil)
        #expect(try number("9223372036854775808").uint64 == 9_223_372_036_854_775_808)
        #expect(try number("18446744073709551615").uint64 == .max)
        #expect(try number("18446744073709551616").uint64 == nil)
        #expect(try number("-1").uint64 == nil)
        #expect(try number("-0").uint64 == 0)
        #expect(try number("-0").int64 == 0)
        #expect(try number("1.0").int64 == nil)
        #expect(try number("1e2").int64 == nil)
    }

    @Test func `gives a double unless it overflows`() throws {
        #expect(try number("0.1").double == 0.1)
        #expect(try number("1.7976931348623157e308").double == .greatestFiniteMagnitude)
        #expect(try number("1e400").double == nil)
        #expect(try number("-1e400").double == nil)
        #expect(try number("1e-400").double == 0)
    }

    @Test(arguments: [
        "", "01", "+1", "1.", ".5", "1e", "NaN", "Infinity", "0x1", " 1", "1 ", "1,2", "\"1\"", "[1]", "--1",
    ])
    func `is not made from other text`(text: String) {
        #expect(JSONNumber(text: text) == nil)
    }

    @Test(arguments: [
        (0.0, "0"), (1.0, "1"), (-2.0, "-2"), (0.1, "0.1"), (1e21, "1e+21"), (1.5e300, "1.5e+300"),
        (Double.leastNonzeroMagnitude, "5e-324"),
        (999_999_999_999_999.0, "999999999999999"), (1e16, "1e+16"), (123456.789, "123456.789"),
    ])
    func `made from a double reads back as the same double`(value: Double, text: String) throws {
        let number = try #require(JSONNumber(value))
        #expect(number.text == text)
        #expect(number.double == value)
        #expect(JSONNumber(text: number.text) == number)
    }

    @Test func `is not created from values outside JSON`() {
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
    }

    @Test(arguments: [
        ("1", true), ("1.0", true), ("10e-1", true), ("1.5", false), ("0", true), ("-0.0", true),
        ("1e300", true),
        ("1e-1", false), ("15e-1", false), ("1.50e1", true), ("0e-5", true),
    ])
    func `knows whether it is whole`(text: String, isInteger: Bool) throws {
        #expect(try number(text).isInteger == isInteger)
    }

    @Test(arguments: [("1", "1.0"), ("100", "1e2"), ("0", "-0.0"), ("0.001", "1E-3"), ("-12.50", "-125e-1")])
    func `is numerically equal to other spellings`(left: String, right: String) throws {
        #expect(try number(left).isNumericallyEqual(to: number(right)))
        #expect(try number(left) != number(right))
        #expect(try !number(left).isLess(than: number(right)))
    }

    @Test(arguments: [
        ("1", "2"), ("-1", "0"), ("-2", "-1"), ("9007199254740992", "9007199254740993"),
        ("0.1", "0.10000000000000000001"),
        ("9", "10"), ("1e400", "1e401"), ("-1e401", "-1e400"), ("0", "1e-400"), ("-1e-400", "0"),
        ("99", "1e2"), ("1e2", "101"),
    ])
    func `is ordered without rounding`(smaller: String, larger: String) throws {
        #expect(try number(smaller).isLess(than: number(larger)))
        #expect(try !number(larger).isLess(than: number(smaller)))
    }

    @Test(arguments: [
        "555555555555555555555555551E+4005555555555555", "0.00001e-999999999999999", "12e999999999999999",
        "1e100000000000000", "1e99999999999999", "-1e-100000000000001", "1e9223372036854775807",
    ])
    func `has one canonical form even where exponents end`(text: String) throws {
        let canonical = try number(text).canonical
        #expect(canonical.canonical == canonical)
        #expect(try number(text).isNumericallyEqual(to: canonical))
    }

    @Test func `survives an exponent of any length`() throws {
        let huge = try number("1e" + String(repeating: "9", count: 60))
        let tiny = try number("1e-" + String(repeating: "9", count: 60))
        #expect(try number("1").isLess(than: huge))
        #expect(try tiny.isLess(than: number("1")))
        #expect(huge.isInteger && !tiny.isInteger)
        #expect(huge.canonical.canonical == huge.canonical)
        #expect(try number("0e" + String(repeating: "9", count: 60)).canonical.text == "0")
    }
}
