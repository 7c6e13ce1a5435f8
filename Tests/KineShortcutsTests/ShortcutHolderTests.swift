// The keys of kinecast.conf with a portal, with an X server, and with neither: the actions, the report and the sentences.
import CoreTesting
import DesktopTesting
import KineConfiguration
import KineDesktop
import KineMeasure
import KineMedia
import KinePlatform
import KineProgram
import ScreenTesting
import SystemPackage
import Testing

@testable import KineShortcuts

@Suite(.tags(.real)) struct ShortcutHolderTests {
    /// A holder and its events. Polled by the test's thread.
    private final class Stage {
        let directory: TemporaryDirectory
        let place: FilePath
        let holder: ShortcutHolder
        var actions: [DesktopAction] = []
        private let sentences = Sentences()

        private final class Sentences { var all: [String] = [] }

        init(_ text: String, bus: String?, display: String? = nil, asks: Bool = true) throws {
            directory = try TemporaryDirectory()
            place = FilePath(directory.path)
            try directory.write(text.utf8, to: "kinecast.conf")
            let context = ShortcutHolder.Context(
                bus: bus, display: display, settings: SettingsFile(place.appending("kinecast.conf")), environment: [],
                directory: place, asks: asks)
            let sentences = sentences
            holder = try ShortcutHolder(context) { sentences.all.append($0) }
        }

        var complaints: [String] { sentences.all }
        var report: [String: ShortcutReport.Key] { ShortcutReport.current(in: place)?.keys ?? [:] }

        /// Processes what there is, and sleeps until there is something more, as the loop does.
        func wait(_ what: String, until condition: () -> Bool) throws {
            try CoreTesting.wait("\(what); \(complaints)") {
                actions += holder.process()
                if condition() { return true }
                var entries = holder.pollEntries
                let limit = MonotonicClock.now() + 5_000_000
                WakeSignal.poll(&entries, until: min(limit, holder.nextDeadline ?? limit))
                return false
            }
        }
    }

    private func trigger(_ id: String) -> ShortcutReport.Key {
        ShortcutReport.Key(holder: .portal, trigger: "the key of \(id)")
    }

    @Test func `the portal's keys start their actions once for each press, and are reported`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus)
        let stage = try Stage("[shortcuts]\nrecord = Ctrl+Alt+F9\n", bus: bus.address)
        try stage.wait("the keys") { stage.report["record"] == trigger("record") }
        #expect(stage.report["microphone"] == trigger("microphone") && stage.complaints == [])
        let offered = portal.calls.last { $0.member == "BindShortcuts" }?.arguments[1].elements ?? []
        let proposals = offered.compactMap { $0.members?[1].asProperties?["preferred_trigger"]?.asString }
        #expect(proposals == ["CTRL+ALT+F9", "LOGO+SHIFT+p", "LOGO+SHIFT+c", "LOGO+SHIFT+m", "LOGO+SHIFT+k"])
        // A held key.
        for _ in 0..<3 { portal.send("Activated", "record") }
        portal.send("Deactivated", "record")
        portal.send("Activated", "record")
        portal.send("Activated", "clip")
        try stage.wait("the keys") { stage.actions.last == .clip }
        #expect(stage.actions == [.record, .record, .clip])
    }

    @Test func `a closed dialog is reported, and kinecast shortcuts bind shows it again`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.person = .declines }
        let stage = try Stage("", bus: bus.address)
        try stage.wait("the sentence") { !stage.complaints.isEmpty }
        #expect(stage.complaints == ["The desktop has bound no keys; kinecast shortcuts bind shows its dialog."])
        try stage.wait("the report") { stage.report["clip"]?.problem == stage.complaints.first }
        portal.change { $0.person = .agrees }
        try ShortcutReport.requestDialog(in: stage.place)
        try stage.wait("the keys") { stage.report["clip"] == trigger("clip") }
        #expect(portal.questions == 2)
    }

    @Test func `a tray that asks for no keys holds the known ones, and asks once a person wants it`() throws {
        let bus = try TestBus()
        let portal = try StandInShortcutsPortal(bus) { $0.listsKnown = true }
        let stage = try Stage("", bus: bus.address, asks: false)
        try stage.wait("the report") { stage.report["clip"]?.problem?.contains("kinecast shortcuts bind") == true }
        #expect(portal.questions == 0)
        try ShortcutReport.requestDialog(in: stage.place)
        try stage.wait("the keys") { stage.report["clip"] == trigger("clip") }
        #expect(portal.questions == 1)
        let next = try Stage("", bus: bus.address, asks: false)
        try next.wait("the known keys") { next.report["clip"] == trigger("clip") }
        #expect(portal.questions == 1)
    }

    @Test func `without a portal the keys of the file are grabbed, and follow it`() throws {
        let bus = try TestBus()
        let screen = try PrivateScreen(size: PixelSize(width: 64, height: 64))
        let painter = try Painter(display: screen.name)
        let stage = try Stage("[shortcuts]\nrecord = Super+Shift+R\n", bus: bus.address, display: screen.name)
        let bound = ShortcutReport.Key(holder: .x11, trigger: "Super+Shift+R")
        try stage.wait("the keys") { stage.report["record"] == bound }
        #expect(stage.report["pause"]?.problem?.hasPrefix("No key is set;") == true && stage.complaints == [])
        painter.press(.r, with: .super, .shift)
        try stage.wait("the key") { stage.actions == [.record] }
        // A text that cannot be used changes nothing.
        try stage.directory.write("[shortcuts]\nrecord = R\n".utf8, to: "kinecast.conf")
        try stage.wait("the sentence") { !stage.complaints.isEmpty }
        let words = "record: R would be taken from every program; add Super, Ctrl or Alt to it."
        #expect(stage.complaints == ["\(stage.place)/kinecast.conf:2: \(words)"] && stage.report["record"] == bound)
        try stage.directory.write("[shortcuts]\nclip = Ctrl+Alt+t\n".utf8, to: "kinecast.conf")
        try stage.wait("the other key") { stage.report["clip"]?.holder == .x11 }
        painter.press(.r, with: .super, .shift)
        painter.press(.t, with: .control, .alt)
        try stage.wait("the other key's press") { stage.actions.last == .clip }
        #expect(stage.actions == [.record, .clip])
        // A portal that comes later has them alone.
        let portal = try StandInShortcutsPortal(bus, known: ["record", "pause", "clip", "microphone", "mark"])
        try stage.wait("the portal's keys") { stage.report["clip"] == trigger("clip") }
        withExtendedLifetime(portal) {}
    }

    @Test func `a Wayland session without a portal for keys gets the advice to bind a command`() throws {
        let bus = try TestBus()
        let stage = try Stage("", bus: bus.address)
        try stage.wait("the sentence") { !stage.complaints.isEmpty }
        #expect(stage.complaints.first?.hasPrefix("This desktop binds no keys for programs; bind kinecast") == true)
        for (action, command) in [("clip", "clip"), ("microphone", "mic --toggle"), ("record", "record --toggle")] {
            #expect(stage.report[action]?.problem?.contains("bind kinecast \(command) to a key") == true)
        }
        let none = try Stage("", bus: nil)
        try none.wait("the report") { none.report["record"] != nil }
        #expect(none.complaints.first == none.report["record"]?.problem)
    }

    @Test func `Xwayland's keys are not grabbed`() {
        func display(_ variables: [String: String]) -> String? {
            ShortcutHolder.Context.display { variables[$0] }
        }
        #expect(display(["DISPLAY": ":0"]) == ":0")
        #expect(display(["DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"]) == ":0")
        #expect(display(["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"]) == nil)
        #expect(display(["DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"]) == nil)
        #expect(display([:]) == nil)
    }
}
