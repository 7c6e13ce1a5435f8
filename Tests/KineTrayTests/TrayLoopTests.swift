// The tray on a real bus, with a desktop's tray at its other end: registration, properties, and the menu's protocol.
import CoreTesting
import DesktopTesting
import Glibc
import KineDesktop
import KineMeasure
import KinePlatform
import KineTakes
import KineWire
import SystemPackage
import Testing

@testable import KineTray

@Suite(.tags(.real)) struct TrayLoopTests {
    /// A tray in a thread, whose `kinecast` notes its arguments.
    private final class Stage: Sendable {
        let directory: TemporaryDirectory
        private let ending = Monitor<TrayLoop.Ending?>(nil)

        init(_ bus: String?, hostTimeout: Int64 = 600_000_000_000) throws {
            directory = try TemporaryDirectory()
            let script = "#!/bin/sh\necho \"$@\" >>\"${0%/*}/calls\"\n"
            let kinecast = try directory.write(script.utf8, to: "kinecast", permissions: .ownerReadWriteExecute)
            let registry = try TakeRegistry(directory: FilePath(directory.path).appending("takes"))
            let ending = ending
            _ = try DedicatedThread(starting: "tray") {
                let context = TrayLoop.Context(
                    bus: bus, registry: registry, kinecast: kinecast,
                    themes: RunningCheckout.path.appending("packaging/icons"), hostTimeout: hostTimeout,
                    complain: { _ in })
                let loop = try? TrayLoop(context, shortcuts: nil)
                let result = loop?.run()
                ending.signal { $0 = result }
            }
        }

        func end() -> TrayLoop.Ending? { ending.wait(until: WaitLimit.deadline()) { $0 } }

        var calls: String {
            let bytes = PrivateDirectory.contents(of: FilePath(directory.file("calls")), limit: 65536)
            return String(decoding: bytes ?? [], as: UTF8.self)
        }
    }

    @Test func `it registers, shows that nothing is recorded, and registers again with a later tray`() throws {
        let bus = try TestBus()
        let stage = try Stage(bus.address)
        let first = try StandInTray(bus)
        let panel = try TrayPanel(bus, first)
        let properties = try panel.properties()
        #expect(properties["Id"] == .string("org.kinecast.Kinecast") && properties["Status"] == .string("Active"))
        #expect(try panel.icon()?.hasSuffix("/org.kinecast.Kinecast-symbolic.svg") == true)
        #expect(properties["ToolTip"]?.type == "(sa(iiay)ss)" && properties["ItemIsMenu"] == .boolean(true))
        #expect(properties["Menu"]?.type == "o")
        first.end()
        let second = try StandInTray(bus)
        let again = try TrayPanel(bus, second)
        #expect(try again.properties()["Title"] == .string("Kinecast: idle"))
        try again.click("Quit")
        #expect(stage.end() == .quit)
    }

    @Test func `it registers again with a watcher that has refused it`() throws {
        let bus = try TestBus()
        let tray = try StandInTray(bus, refusals: 1)
        let stage = try Stage(bus.address)
        try tray.announceHost()
        try wait("another registration") { tray.registrations == 2 }
        try TrayPanel(bus, tray).click("Quit")
        #expect(stage.end() == .quit)
    }

    @Test func `an entry runs kinecast, and one that is not there runs nothing`() throws {
        let bus = try TestBus()
        let tray = try StandInTray(bus)
        let stage = try Stage(bus.address)
        let panel = try TrayPanel(bus, tray)
        let labels = try panel.entries().compactMap(\.label)
        #expect(
            labels == [
                "Not recording", "Start recording", "Pause", "Begin a chapter", "Save the last moments",
                "Mute the microphone", "Recent recordings", "Quit",
            ])
        // 4 stops a take, and there is none.
        for id in [4, 99, -1] as [Int32] {
            #expect(throws: BusError.self) {
                try panel.menu("Event", [.int32(id), .string("clicked"), .variant(.int32(0)), .uint32(0)])
            }
        }
        let pause = try #require(try panel.entries().first { $0.label == "Pause" })
        try panel.menu("Event", [.int32(pause.id), .string("clicked"), .variant(.int32(0)), .uint32(0)])
        try panel.menu("Event", [.int32(3), .string("hovered"), .variant(.int32(0)), .uint32(0)])
        try panel.click("Start recording")
        try wait("the call") { stage.calls.hasSuffix("\n") }
        #expect(stage.calls == "record --toggle\n")
        try panel.click("Quit")
        #expect(stage.end() == .quit)
    }

    @Test func `the menu answers as the protocol says, and refuses what is malformed`() throws {
        let bus = try TestBus()
        let tray = try StandInTray(bus)
        let stage = try Stage(bus.address)
        let panel = try TrayPanel(bus, tray)
        let layout = try panel.menu("GetLayout", [.int32(0), .int32(0), .strings(["label"])])
        #expect(layout.map(\.type).joined() == "u(ia{sv}av)")
        #expect(layout.last?.members?.last?.elements?.isEmpty == true, "no level was wanted")
        let deepest = try panel.menu("GetLayout", [.int32(0), .int32(.min), .strings([])])
        #expect(deepest.last?.members?.last?.elements?.isEmpty == false)
        #expect(try panel.menu("GetProperty", [.int32(3), .string("label")]) == [.variant(.string("Start recording"))])
        let ids = BusValue.array(of: "i", [.int32(3), .int32(99)])
        let group = try panel.menu("GetGroupProperties", [ids, .strings(["enabled"])])
        let entry = BusValue.structure([.int32(3), .properties(["enabled": .boolean(true)])])
        #expect(group == [.array(of: "(ia{sv})", [entry])])
        let shown = try panel.menu("AboutToShowGroup", [.array(of: "i", [.int32(13), .int32(99)])])
        #expect(shown.map(\.type).joined() == "aiai" && shown.last == .array(of: "i", [.int32(99)]))
        let unknown = BusValue.structure([.int32(99), .string("clicked"), .variant(.int32(0)), .uint32(0)])
        let known = BusValue.structure([.int32(3), .string("opened"), .variant(.int32(0)), .uint32(0)])
        let events = BusValue.array(of: "(isvu)", [unknown, known])
        #expect(try panel.menu("EventGroup", [events]) == [.array(of: "i", [.int32(99)])])
        let flood = BusValue.array(of: "i", (0..<10_000).map { .int32($0) })
        let malformed: [(String, [BusValue])] = [
            ("GetLayout", [.int32(99), .int32(-1), .strings([])]), ("GetLayout", [.int32(0)]),
            ("GetProperty", [.int32(3), .string("color")]), ("AboutToShow", [.int32(99)]),
            ("AboutToShow", [.string("")]), ("AboutToShowGroup", [flood]), ("Event", []), ("Nothing", []),
        ]
        for (member, arguments) in malformed {
            #expect(throws: BusError.self, "\(member)") { try panel.menu(member, arguments) }
        }
        #expect(throws: BusError.self) { try panel.item("Activate", [.int32(0), .int32(0)]) }
        try panel.item("Scroll", [.int32(1), .string("vertical")])
        try panel.item("SecondaryActivate", [.int32(0), .int32(0)])
        #expect(stage.calls == "")
        try panel.click("Quit")
        #expect(stage.end() == .quit)
    }

    @Test func `it ends with its bus, and without a tray and keys`() throws {
        let bus = try TestBus()
        let tray = try StandInTray(bus)
        let shown = try Stage(bus.address)
        _ = try tray.waitForItem()
        bus.end()
        #expect(shown.end() == .busLost)
        let lonely = try TestBus()
        #expect(try Stage(lonely.address, hostTimeout: 1).end() == .noHost)
        #expect(try Stage(nil).end() == .noHost)
    }
}
