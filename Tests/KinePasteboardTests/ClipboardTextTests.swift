// The form in which members of a group read a text: from the clipboard, where any program may have put it.
import Testing

@testable import KinePasteboard

@Suite struct ClipboardTextTests {
    @Test func `written texts are read`() {
        for text in ["", "a\nb", "Grüße 🎬"] {
            #expect(ClipboardText(grouped: ClipboardText(text, group: "g").grouped) == ClipboardText(text, group: "g"))
        }
    }

    @Test func `only a group on one short line before the text is one`() {
        #expect(ClipboardText(grouped: Array("g\na\nb".utf8)) == ClipboardText("a\nb", group: "g"))
        #expect(ClipboardText(grouped: Array("\na".utf8)) == nil)
        #expect(ClipboardText(grouped: Array("no line".utf8)) == nil)
        #expect(ClipboardText(grouped: Array(String(repeating: "g", count: 101).utf8) + [0x0a]) == nil)
        #expect(ClipboardText(grouped: [0x67, 0x0a, 0xff]) == nil)
        #expect(ClipboardText(grouped: []) == nil)
    }
}
