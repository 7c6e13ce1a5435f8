// The bounds of a notification: whatever another program says, a person sees a few plain words.
import KineText
import Testing

@testable import KineWire

@Suite struct DesktopMessageTests {
    private var contents = NotificationContents(identifier: "a", title: "connected", text: "to the server")

    private func refused(_ change: (inout NotificationContents) -> Void) -> Bool {
        var changed = contents
        change(&changed)
        do throws(DesktopFailure) {
            _ = try changed.cleaned()
            return false
        } catch {
            return error.code == .invalid
        }
    }

    @Test func `texts are one line each, without secrets and control characters, and cut behind their limits`() throws {
        var long = contents
        long.title = "key s3cret\n\u{1B}[31m" + String(repeating: "x", count: 300)
        long.text = String(repeating: "<b>&", count: 300) + "s3cret"
        long.actions = [.init(identifier: "r", title: "s3cret " + String(repeating: "y", count: 60))]
        let shown = try long.cleaned(of: ["s3cret"], service: "Twitch\n")
        #expect(shown.title.hasPrefix("Twitch : key … "))
        #expect(shown.title.isPrintable && shown.title.count <= 60 + 2 + 201)
        #expect(shown.text.count == 1001 && shown.text.hasPrefix("<b>&"))
        #expect(shown.actions[0].title.count == 41 && !shown.actions[0].title.contains("s3cret"))
    }

    @Test func `the service's name stands in front, and a good notification is not changed otherwise`() throws {
        #expect(try contents.cleaned() == contents)
        var expected = contents
        expected.title = "Twitch: connected"
        #expect(try contents.cleaned(service: "Twitch") == expected)
    }

    @Test func `identifiers, sounds, delays, buttons and payloads have rules`() {
        #expect(refused { $0.identifier = "" })
        #expect(refused { $0.identifier = "a\nb" })
        #expect(refused { $0.identifier = String(repeating: "a", count: 101) })
        for sound in ["../x", "/usr/share/x.ogg", "a b", "Bell", "x.ogg"] {
            #expect(refused { $0.sound = sound }, "\(sound)")
        }
        #expect(!refused { $0.sound = "message-new-instant" } && !refused { $0.sound = "" })
        for delay in [-1, 86401, .nan, .infinity] { #expect(refused { $0.delay = delay }, "\(delay)") }
        #expect(refused { $0.actions = ["a", "b", "c", "d"].map { .init(identifier: $0, title: $0) } })
        #expect(refused { $0.actions = ["a", "a"].map { .init(identifier: $0, title: $0) } })
        #expect(refused { $0.payload = ["k": String(repeating: "v", count: 1001)] })
        #expect(refused { $0.payload = Dictionary(uniqueKeysWithValues: (0..<33).map { ("\($0)", "") }) })
    }

    @Test func `the longest text for the clipboard fits in a message, whatever its characters`() throws {
        for character in ["\u{1}", "\"", "?", "é", "🎬"] {
            let text = String(repeating: character, count: PasteboardText.limit / character.utf8.count)
            let frame = try ControlEncoder.frame(
                ExtensionReport.desktop(DesktopRequest(number: 1, task: .setText(PasteboardText(text), group: "g"))))
            #expect(frame.count < ControlDecoder.messageLimit)
        }
    }
}
