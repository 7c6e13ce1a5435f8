// Keys that are grabbed on a real X server, pressed as a keyboard presses them.
import CoreTesting
import KineConfiguration
import KineMeasure
import KineMedia
import KineProgram
import ScreenTesting
import Testing

@testable import KineShortcuts

@Suite(.tags(.real)) struct X11ShortcutTests {
    /// A server, its keyboard, and the keys that are held on it. Used by the test's thread.
    private final class Stage {
        let screen: PrivateScreen
        let painter: Painter
        let shortcuts: X11Shortcuts

        /// - Parameter layouts: Caps Lock switches between them.
        init(_ keys: [DesktopAction: String], layouts: String? = nil) throws {
            screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
            if let layouts { try Self.setLayouts(layouts, screen) }
            painter = try Painter(display: screen.name)
            shortcuts = try X11Shortcuts(display: screen.name)
            // Its key is the last of each series: what comes before it has been seen.
            shortcuts.bind(try keys.merging([.microphone: "Ctrl+F5"]) { $1 }.mapValues { try KeyCombination($0) })
        }

        static func setLayouts(_ layouts: String, _ screen: PrivateScreen) throws {
            _ = try Tool.output(
                "setxkbmap",
                ["-display", screen.name, "-layout", layouts, "-option", "", "-option", "grp:caps_toggle"])
        }

        /// The actions since the last call.
        func actions() throws -> [DesktopAction] {
            painter.press(.f5, with: .control)
            var actions: [DesktopAction] = []
            try wait("the last key, after \(actions)") {
                actions += try shortcuts.process()
                return actions.last == .microphone
            }
            return Array(actions.dropLast())
        }
    }

    @Test func `a press starts its action once, whatever is locked`() throws {
        let stage = try Stage([.record: "Super+Shift+R", .clip: "Ctrl+Alt+t"])
        #expect(stage.shortcuts.problems == [:] && stage.shortcuts.bound == [.record, .clip, .microphone])
        for locks in [[], [.numLock], [.capsLock], [.numLock]] as [[Painter.Key]] {
            for lock in locks { stage.painter.press(lock) }
            stage.painter.press(.r, with: .super, .shift)
            stage.painter.press(.t, with: .control, .alt)
            #expect(try stage.actions() == [.record, .clip], "\(locks)")
            // Other modifiers, and the key alone.
            stage.painter.press(.r, with: .super)
            stage.painter.press(.r, with: .super, .shift, .control)
            stage.painter.press(.r)
            #expect(try stage.actions() == [], "\(locks)")
        }
    }

    @Test func `a held key repeats, and its action does not`() throws {
        let stage = try Stage([.record: "Super+Shift+R"])
        for _ in 0..<2 {
            stage.painter.hold(.super)
            stage.painter.hold(.shift)
            for _ in 0..<5 { stage.painter.hold(.r) }
            // The modifiers go first, as fingers do.
            for key in [Painter.Key.super, .shift, .r] { stage.painter.hold(key, isPressed: false) }
            #expect(try stage.actions() == [.record])
        }
    }

    @Test func `a letter works in a layout that has none such`() throws {
        let stage = try Stage([.record: "Super+Shift+R"], layouts: "us,ru")
        for _ in 0..<3 {
            stage.painter.press(.r, with: .super, .shift)
            #expect(try stage.actions() == [.record])
            stage.painter.press(.capsLock)
        }
    }

    @Test(arguments: ["ru", "gr"])
    func `without a layout that has the letter it is where an American keyboard has it`(layout: String) throws {
        let stage = try Stage([.record: "Super+Shift+R", .clip: "Ctrl+Alt+t"], layouts: layout)
        #expect(stage.shortcuts.problems == [:])
        stage.painter.press(.r, with: .super, .shift)
        stage.painter.press(.t, with: .control, .alt)
        #expect(try stage.actions() == [.record, .clip])
    }

    @Test func `a letter is where the current layout has it`() throws {
        let stage = try Stage([.record: "Super+y", .pause: "Super+z"], layouts: "us,de")
        for isGerman in [false, true, false] {
            stage.painter.press(.y, with: .super)
            stage.painter.press(.z, with: .super)
            #expect(try stage.actions() == (isGerman ? [.pause, .record] : [.record, .pause]))
            stage.painter.press(.capsLock)
        }
    }

    @Test func `another layout is followed`() throws {
        let stage = try Stage([.record: "Super+y"], layouts: "us")
        try Stage.setLayouts("de", stage.screen)
        // The server's answer to the painter comes after its events.
        #expect(try stage.actions() == [])
        stage.painter.press(.z, with: .super)
        stage.painter.press(.y, with: .super)
        #expect(try stage.actions() == [.record])
    }

    @Test func `a key that another program holds is named, and the others work`() throws {
        let stage = try Stage([.record: "Super+Shift+R", .clip: "Ctrl+Alt+t"])
        let second = try X11Shortcuts(display: stage.screen.name)
        second.bind([.record: try KeyCombination("Super+Shift+R"), .pause: try KeyCombination("Super+z")])
        #expect(
            second.problems == [
                .record: "Another program holds Super+Shift+R, the key of record; give it another one: "
                    + "kinecast shortcuts set record KEY."
            ])
        #expect(second.bound == [.pause])
        second.bind([.clip: try KeyCombination("Super+Cyrillic_ef")])
        #expect(second.problems[.clip]?.hasPrefix("This keyboard does not give Super+Cyrillic_ef") == true)
        // The first one has given up its place.
        stage.shortcuts.bind([.microphone: try KeyCombination("Ctrl+F5")])
        #expect(try stage.actions() == [])
        second.bind([.record: try KeyCombination("Super+Shift+R")])
        stage.painter.press(.r, with: .super, .shift)
        var actions: [DesktopAction] = []
        try wait("the key") {
            actions += try second.process()
            return !actions.isEmpty
        }
        #expect(actions == [.record] && second.problems == [:])
    }

    @Test func `a server that is not there is reported, and so is one that ends`() throws {
        #expect(throws: X11ShortcutFailure.self) { try X11Shortcuts(display: ":987654") }
        let stage = try Stage([:])
        stage.screen.end()
        #expect(throws: X11ShortcutFailure.self) {
            try wait("the end") {
                _ = try stage.shortcuts.process()
                return false
            }
        }
    }
}
