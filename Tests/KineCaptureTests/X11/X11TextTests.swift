import Testing

// Titles as programs write them, by the type of the property.
@testable import KineX11

@Suite struct X11TextTests {
    private static let latin = Array("Z".utf8) + [0xfc] + Array("rich".utf8)

    /// The bytes of a text whose characters are bytes, as the tables of ISO 2022 write them.
    private func compound(_ text: String) -> X11Text {
        X11Text(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }, .compound)
    }

    @Test func `a title of type STRING is Latin-1, unless it can only be UTF-8`() {
        #expect(X11Text(Self.latin, .latin1) == X11Text(Array("Zürich".utf8), .utf8))
        #expect(X11Text(Self.latin, .latin1).isWhole)
        // xterm in the C locale.
        #expect(X11Text(Array("Zürich – €".utf8), .latin1).text == "Zürich – €")
        #expect(X11Text([UInt8](0xae...0xff), .latin1).text.unicodeScalars.map(\.value) == Array(0xae...0xff))
    }

    @Test func `a type that says nothing is guessed, and said not to be known`() {
        #expect(X11Text(Array("Zürich".utf8), .unknown) == X11Text(Self.latin, .latin1))
        #expect(X11Text(Self.latin, .unknown).text == "Zürich")
        #expect(!X11Text(Self.latin, .unknown).isWhole)
    }

    @Test(
        arguments: [
            ("Z\u{fc}rich", "Zürich"),
            // As xterm writes it.
            ("Z\u{fc}rich \u{1b}-b\u{a4}", "Zürich €"),
            ("\u{1b}-L\u{bc}\u{de}\u{e1}\u{da}\u{d2}\u{d0} \u{1b}-A\u{e9}", "Москва é"),
            ("\u{1b}-F\u{c1}\u{e8}\u{de}\u{ed}\u{e1}", "Αθήνα"), ("\u{1b}-B\u{a3}\u{f3}d\u{bc}", "Łódź"),
            ("a \u{1b}%Gz\u{c3}\u{bc}\u{e2}\u{82}\u{ac}\u{1b}%@\u{fc}", "a zü€ü"),
            // Left to right, right to left, and the end of both.
            ("a\u{9b}1]b\u{9b}2]c\u{9b}]d", "abcd"), ("\u{1b}(Babc", "abc"), ("a\u{1b}#0b", "ab"),
        ])
    func `a compound text is read by its parts of ISO 8859 and in UTF-8`(bytes: String, text: String) {
        #expect(compound(bytes).text == text)
        #expect(compound(bytes).isWhole == (bytes != "a\u{1b}#0b"))
    }

    @Test(
        arguments: [
            // JIS X 0208, at the left and at the right.
            ("a\u{1b}$(B\u{46}\u{7c}\u{4b}\u{5c}\u{1b}(Bb", "a\u{fffd}b"),
            ("a\u{1b}$)B\u{c6}\u{fc}\u{cb}\u{dc}b", "a\u{fffd}b"),
            // A segment of three bytes behind its name, and what follows.
            ("a\u{1b}%/1\u{80}\u{8a}koi8-r\u{02}xyzb", "a\u{fffd}b"), ("a\u{1b}%/1\u{ff}\u{ff}bc", "a\u{fffd}"),
            ("a\u{1b}-Z\u{e1}", "a\u{fffd}"), ("a\u{1b}-C\u{a5}", "a\u{fffd}"),
        ])
    func `what is in another character set is marked, and said not to be read`(bytes: String, text: String) {
        #expect(compound(bytes).text == text)
        #expect(!compound(bytes).isWhole)
    }

    @Test func `a monitor's model is read from its EDID, and nothing from one that is cut or has none`() {
        func edid(_ text: String, tag: UInt8 = 0xfc) -> [UInt8] {
            var bytes = [0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00] + [UInt8](repeating: 1, count: 120)
            let descriptor = [0, 0, 0, tag, 0] + Array(text.utf8)
            bytes.replaceSubrange(90..<90 + descriptor.count, with: descriptor)
            return bytes
        }
        #expect(X11Properties.model(edid("DELL U2720Q\n ")) == "DELL U2720Q")
        #expect(X11Properties.model(edid("\u{1b}[31mABCDEFGH")) == "[31mABCDEFGH", "it steers no terminal")
        for none in [
            [], Array(edid("DELL\n").prefix(127)), edid("DELL\n", tag: 0xff), edid("   \n"),
            [1] + edid("DELL\n").dropFirst(),
        ] as [[UInt8]] {
            #expect(X11Properties.model(none) == nil)
        }
    }

    @Test(arguments: X11Text.Encoding.allCases)
    func `a text steers no terminal and turns no writing, and one that is cut ends`(encoding: X11Text.Encoding) {
        for bytes: [UInt8] in [[], [0x1b], [0x1b, 0x25], [0x1b, 0x25, 0x2f], [0x9b], [0x9b, 0x31], [0x41, 0x9b]] {
            let text = X11Text(bytes, encoding).text
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        #expect(X11Text(Array("a\u{7}\u{202e}b".utf8), .utf8).text == "a  b")
    }
}
