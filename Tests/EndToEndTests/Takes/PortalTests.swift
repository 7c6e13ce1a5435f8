// A desktop that has to be asked: a portal's objects on a real bus, a real PipeWire, and a producer that casts known pictures there.
import CastTesting
import CoreTesting
import DesktopTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized) struct PortalTests {
    private static let painted = PixelRect(x: 32, y: 16, width: 64, height: 48)

    /// A desktop with its portal, and a cast of a monitor that the portal gives out.
    private final class Desktop {
        let bus: TestBus
        let portal: StandInPortal
        private(set) var producer: CastProducer
        private let server: PrivatePipeWire

        init(_ change: (inout StandInPortal.Manner) -> Void = { _ in }) throws {
            bus = try TestBus()
            let server = try PrivatePipeWire()
            self.server = server
            producer = try CastProducer(on: server, size: PixelSize(width: 160, height: 96))
            var manner = StandInPortal.Manner()
            manner.node = producer.node
            let socket = server.socket
            manner.connect = { try PrivatePipeWire.connect(to: socket) }
            change(&manner)
            portal = try StandInPortal(bus, manner)
        }

        /// Casts anew: a producer has one reader.
        func renewCast() throws {
            producer = try CastProducer(on: server, size: PixelSize(width: 160, height: 96))
            let node = producer.node
            portal.change { $0.node = node }
        }

        var environment: [String] { ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"] }
    }

    private func start(_ place: TestPlace, on desktop: Desktop, _ options: String...) throws -> RunningKinecast {
        try place.start(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--backend", "portal", "--json"] + options,
            desktop.environment)
    }

    /// Sends the picture until the file has it: PipeWire may lose what comes before the reader has its buffers. A corner of it changes
    /// each time, since a frame is written when the next one has come.
    private func show(_ colour: UInt32, on desktop: Desktop, in place: TestPlace) throws {
        try desktop.producer.paint(Self.painted, colour)
        var number: UInt32 = 0
        try wait("the picture in the file") {
            number += 1
            try desktop.producer.paint(
                PixelRect(x: 0, y: 0, width: 16, height: 16), number.isMultiple(of: 2) ? 0 : 0xff_ffff)
            try desktop.producer.send("frame")
            let frames = (try? ColourFrame.all(in: place.path("a.mp4"), isFinished: false)) ?? []
            return frames.last.map { $0.distance(from: colour, in: Self.painted.inset(by: 4)) < 12 } ?? false
        }
    }

    @Test func `what the desktop casts is in the file until the person ends it there, and the next take asks nobody`()
        throws
    {
        let desktop = try Desktop()
        try TestPlace.with { place in
            for colour: UInt32 in [0x20_4060, 0xc0_8020] {
                let take = try start(place, on: desktop)
                try show(colour, on: desktop, in: place)
                desktop.portal.closeSessions()
                let ended = try take.wait()
                #expect(ended.status == 0, "\(ended)")
                let frame = try ColourFrame.last(in: place.path("a.mp4"))
                #expect(frame.distance(from: colour, in: Self.painted.inset(by: 4)) < 12)
                #expect(desktop.portal.questions == 1)
                try desktop.renewCast()
            }
            let asking = try start(place, on: desktop, "--ask")
            try show(0x10_a040, on: desktop, in: place)
            asking.signal(SIGTERM)
            #expect(try asking.wait().status == 0)
            #expect(desktop.portal.questions == 2)
        }
    }

    @Test func `the person's no ends the take with 77, and a compositor's death with what was recorded`() throws {
        let desktop = try Desktop { $0.person = .declines }
        try TestPlace.with { place in
            let refused = try start(place, on: desktop).wait()
            #expect(refused.status == ExitStatus.noPermission, "\(refused)")
            desktop.portal.change { $0.person = .agrees }
            let take = try start(place, on: desktop)
            try show(0x20_4060, on: desktop, in: place)
            desktop.producer.end()
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `while the person hesitates, the take can be ended, and the question goes away`() throws {
        let desktop = try Desktop { $0.person = .hesitates }
        try TestPlace.with { place in
            let take = try start(place, on: desktop)
            try wait("the question") { desktop.portal.isDialogShown }
            take.signal(SIGTERM)
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            try wait("the end of the question") { !desktop.portal.isDialogShown }
        }
    }
}

extension PixelRect {
    fileprivate func inset(by pixels: Int) -> PixelRect {
        PixelRect(x: x + pixels, y: y + pixels, width: width - 2 * pixels, height: height - 2 * pixels)
    }
}
