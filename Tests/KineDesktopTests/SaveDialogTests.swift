// The desktop's file dialog on a real bus, with a portal's objects at the other end.
import CoreTesting
import DesktopTesting
import KineMeasure
import KinePlatform
import KineText
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct SaveDialogTests {
    private static let request = SaveDialogRequest(title: "Save the cut", name: "Cut.mp4", directory: "/home/ü")

    /// The first event of a dialog, while `person` acts.
    private static func event(
        _ bus: TestBus, _ request: SaveDialogRequest? = request, person: (SaveDialogSession) throws -> Void = { _ in }
    ) throws -> SaveDialogSession.Event? {
        let session = try SaveDialogSession(request, bus: bus.address)
        var event: SaveDialogSession.Event?
        try wait("the end of the dialog") {
            event = session.process().first
            if event == nil { try person(session) }
            var entries = session.pollEntries
            WakeSignal.poll(&entries, until: MonotonicClock.now() + 5_000_000)
            return event != nil
        }
        return event
    }

    @Test func `the person chooses a file whose name has any bytes, or closes the dialog`() throws {
        let bus = try TestBus()
        let portal = try StandInFilePortal(bus)
        #expect(try Self.event(bus, nil) == .found && portal.dialog == nil)
        let event = try Self.event(bus) { _ in
            guard let dialog = portal.dialog else { return }
            let folder = Array("/home/ü".utf8) + [0]
            #expect(dialog.title == "Save the cut" && dialog.options["current_name"] == .string("Cut.mp4"))
            #expect(dialog.options["current_folder"] == .array(of: "y", folder.map(BusValue.byte)))
            portal.answer("file:///home/%C3%BC/My%20cut%FF.mp4")
        }
        #expect(event == .chosen(path: String(escaping: Array("/home/ü/My cut".utf8) + [0xff] + Array(".mp4".utf8))))
        #expect(try Self.event(bus) { _ in portal.answer(nil) } == .failed(.declined))
        #expect(try Self.event(bus) { _ in if portal.dialog != nil { portal.end() } } == .failed(.portalLost))
    }

    @Test func `without a portal or a bus the dialog fails`() throws {
        let bus = try TestBus()
        #expect(try Self.event(bus, nil) == .failed(.noPortal))
        #expect(try Self.event(bus) == .failed(.noPortal))
        #expect(throws: PortalError.noBus) { try SaveDialogSession(nil, bus: nil) }
    }

    @Test func `a dialog that is not needed any more is closed`() throws {
        let bus = try TestBus()
        let portal = try StandInFilePortal(bus)
        let session = try SaveDialogSession(Self.request, bus: bus.address)
        func step(_ what: String, until condition: () -> Bool) throws {
            try wait(what) {
                #expect(session.process() == [])
                return condition()
            }
        }
        try step("the dialog") { portal.dialog != nil }
        let request = portal.dialog?.request
        session.cancel(timeout: 1_000_000_000)
        try step("its end") { portal.dialog == nil }
        #expect(portal.closed == [request])
    }

    @Test(arguments: [nil, "", "/a", "file://host/a", "file:///a%", "file:///a%zz", "file:///%00", "https://a/b"])
    func `no other address is a file`(_ address: String?) {
        #expect(throws: PortalError.self) { try SaveDialogStateMachine.path(address) }
    }
}
