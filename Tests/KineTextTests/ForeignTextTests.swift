// Text from servers and other programs before a person sees it.
import KineText
import Testing

@testable import KinePlatform

@Suite struct ForeignTextTests {
    @Test(arguments: [
        ("the key abcd is wrong", "the key … is wrong"), ("abcdabcd", "…"), ("no secret", "no secret"),
        // In a comparison of strings, an accent behind the last letter makes it another one.
        ("abcd\u{301} is wrong", "…\u{301} is wrong"),
        // The same letters in other bytes.
        ("gro\u{308}ße", "…"), ("\u{212A}elvin", "…"),
    ])
    func `a secret is left out whatever stands behind it and however it is written`(text: String, shown: String) {
        #expect(text.cleaned(of: ["abcd", "größe", "Kelvin"], limit: 100) == shown)
    }

    @Test func `what is not shown cannot have hidden a secret`() {
        // A blank and a control character become one blank.
        #expect("is a \u{1b}b c known?".cleaned(of: ["a b c"], limit: 100) == "is … known?")
        #expect("is ab\tcd known?".cleaned(of: ["ab\tcd"], limit: 100) == "is … known?")
        #expect("is ab\u{7}cd known?".cleaned(of: ["ab\tcd"], limit: 100) == "is … known?")
    }

    @Test func `secrets in each other leave nothing of either`() {
        #expect("xabcdefghx".cleaned(of: ["abcdef", "cdefgh"], limit: 100) == "x…x")
        #expect("xx1234yy".cleaned(of: ["1234", "xx…yy"], limit: 100) == "…")
    }

    @Test func `the beginning of a secret is not left by cutting`() {
        #expect("the key is abcdefgh".cleaned(of: ["abcdefgh"], limit: 14) == "the key is …")
        #expect("the key is abcdefgh".cleaned(of: [], limit: 14) == "the key is abc…")
        #expect("the key is abcdefgh".cleaned(of: ["abc…"], limit: 14) == "the key is …")
    }

    @Test func `less than four bytes are no secret, and more than is read is not looked at`() {
        #expect("abc".cleaned(of: ["abc", "", "…"], limit: 100) == "abc")
        let long = String(repeating: "a", count: 1 << 20)
        #expect(long.cleaned(of: [long], limit: 10) == "aaaaaaaaaa…")
    }
}
