// Paths as text: whatever bytes a name has, they come back.
import CoreTesting
import KineText
import SystemPackage
import Testing

@Suite struct PathTextTests {
    @Test(
        arguments: [
            // Latin-1; a cut character; one that is longer than need be; a surrogate; beyond Unicode; bytes that begin nothing.
            ([0x63, 0x61, 0x66, 0xe9], "caf\u{efe9}"), ([0xe2, 0x82, 0x2f], "\u{efe2}\u{ef82}/"),
            ([0xc0, 0xaf], "\u{efc0}\u{efaf}"), ([0xed, 0xa0, 0x80], "\u{efed}\u{efa0}\u{ef80}"),
            ([0xf5, 0x80], "\u{eff5}\u{ef80}"), ([0xff, 0x80], "\u{efff}\u{ef80}"),
            // U+EFE9 itself.
            ([0xee, 0xbf, 0xa9], "\u{efee}\u{efbf}\u{efa9}"), (Array("Über 日本 🎬".utf8), "Über 日本 🎬"),
        ] as [([UInt8], String)])
    func `bytes that are no UTF-8 have a place of their own in Unicode`(bytes: [UInt8], text: String) {
        #expect(String(escaping: bytes) == text)
        #expect(text.unescaped == bytes)
        #expect(FilePath(escaped: "/a/\(text)b").escaped == "/a/\(text)b")
        #expect(text.cString.dropLast().map { UInt8(bitPattern: $0) } == bytes && text.cString.last == 0)
    }

    @Test func `any bytes come back`() {
        var random = SeededGenerator(seed: 1)
        // Many beginnings of characters, and of the escape's own.
        let likely: [UInt8] = [0x2f, 0x61, 0x80, 0xa9, 0xbe, 0xbf, 0xc3, 0xe2, 0xee, 0xef, 0xf0]
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? likely.randomElement(using: &random)! : .random(in: 1...255, using: &random)
            }
            #expect(String(escaping: bytes).unescaped == bytes)
        }
    }

    @Test func `a name that is made of another keeps its bytes`() {
        let path = FilePath(escaped: "/a/caf\u{efe9}.mp4")
        #expect(NumberedName.adding(" trimmed", to: path).escaped == "/a/caf\u{efe9} trimmed.mp4")
        let long = FilePath(escaped: String(repeating: "\u{efe9}", count: 251) + ".mp4")
        #expect(NumberedName.adding(" 2", to: long).cString.count == 256)
    }
}
