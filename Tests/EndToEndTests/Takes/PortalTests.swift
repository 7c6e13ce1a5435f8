// Takes of a desktop that has to be asked.
import CastTesting
import CoreTesting
import DesktopTesting
import Foundation
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct PortalTests {
    private static let painted = PixelRect(x: 32, y: 16, width: 64, height: 48)

    /// Whether a frame has that colour where `show` paints it.
    private func isShown(_ colour: UInt32, in frame: ColourFrame) -> Bool {
        frame.distance(from: colour, in: Self.painted.inset(by: 4)) < 12
    }

    /// Sends the picture until the file has it: PipeWire may lose what comes before the reader has its buffers. A corner of it changes
    /// each time, since a frame is written when the next one has come.
    private func show(_ colour: UInt32, on desktop: CastPortal, in place: TestPlace) throws {
        try desktop.producer.paint(Self.painted, colour)
        let corner = PixelRect(x: 0, y: 0, width: 16, height: 16)
        try send(changing: corner, by: desktop.producer, to: place.path("a.mp4")) { isShown(colour, in: $0) }
    }

    @Test func `what the desktop casts is in the file until the person ends it there, and the next take asks nobody`()
        throws
    {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            for colour: UInt32 in [0x20_4060, 0xc0_8020] {
                let take = try desktop.record(in: place)
                try show(colour, on: desktop, in: place)
                desktop.portal.closeSessions()
                let ended = try take.wait()
                #expect(ended.status == 0, "\(ended)")
                #expect(try isShown(colour, in: ColourFrame.last(in: place.path("a.mp4"))))
                #expect(desktop.portal.questions == 1)
                try desktop.renewCast()
            }
            let asking = try desktop.record(in: place, ["--ask"])
            try show(0x10_a040, on: desktop, in: place)
            asking.signal(SIGTERM)
            #expect(try asking.wait().status == 0)
            #expect(desktop.portal.questions == 2)
        }
    }

    @Test func `the person's no ends the take with 77, and a compositor's death with what was recorded`() throws {
        let desktop = try CastPortal { $0.person = .declines }
        try TestPlace.with { place in
            let refused = try desktop.record(in: place).wait()
            #expect(refused.status == ExitStatus.noPermission, "\(refused)")
            #expect((refused.output + refused.errors).contains("the answer was no"), "\(refused)")
            #expect(refused.output.contains(#""code":"cancelled""#), "\(refused)")
            desktop.portal.change { $0.person = .agrees }
            let take = try desktop.record(in: place)
            try show(0x20_4060, on: desktop, in: place)
            desktop.producer.end()
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    /// Sends what `frame` says, and changes a place each time, until the file's last frame is as `isShown` wants it.
    private func send(
        _ frame: String = "frame", changing place: PixelRect, by producer: CastProducer, to file: String,
        until isShown: (ColourFrame) -> Bool
    ) throws {
        var number: UInt32 = 0
        try wait("the picture in the file") {
            number += 1
            try producer.paint(place, number.isMultiple(of: 2) ? 0 : 0xff_ffff)
            try producer.send(frame)
            return (try? ColourFrame.all(in: file, isFinished: false))?.last.map(isShown) ?? false
        }
    }

    /// Sends frames until a process has ended, which takes them as long as it wants.
    private func send(by producer: CastProducer, untilEndOf take: RunningKinecast) throws -> RunningKinecast.Ended {
        try wait("the end") {
            try producer.begin("frame")
            return take.process.poll() != nil
        }
        return try take.wait()
    }

    @Test
    func `a window that the person chooses is fitted when its size changes, and is remembered apart from monitors`()
        throws
    {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            let take = try desktop.record(in: place, ["--window", "ask"])
            try show(0x20_4060, on: desktop, in: place)
            #expect(desktop.portal.selections.map { $0["types"] } == [.uint32(2)])
            // Compositors give a window's frames the monitor's size, and say what of them is the window.
            let crop = "frame crop=32,16,64,48"
            let corner = PixelRect(x: 32, y: 16, width: 6, height: 6)
            try send(crop, changing: corner, by: desktop.producer, to: place.path("a.mp4")) {
                // 64×48 is as high as the picture, with black beside it.
                $0.distance(from: 0x20_4060, in: PixelRect(x: 36, y: 20, width: 104, height: 72)) < 12
                    && $0.distance(from: 0, in: PixelRect(x: 0, y: 0, width: 12, height: 96)) < 12
            }
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            // Each has a colour of its own: until there is a fragment of the new file, the old one has its name.
            for (source, types, questions, colour) in [
                (["--window", "ask"], UInt32(2), 1, UInt32(0xc0_8020)), ([], 1, 2, 0x10_a040),
                (["--window", "ask"], 2, 2, 0x20_4060), ([], 1, 2, 0xc0_8020),
            ] {
                try desktop.renewCast()
                let again = try desktop.record(in: place, source)
                try show(colour, on: desktop, in: place)
                again.signal(SIGTERM)
                #expect(try again.wait().status == 0)
                #expect(desktop.portal.selections.last?["types"] == .uint32(types))
                #expect(desktop.portal.questions == questions)
            }
        }
    }

    @Test func `a take of a monitor shows a window instead, once the person has chosen it`() throws {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            let take = try desktop.record(in: place)
            try show(0x20_4060, on: desktop, in: place)
            let monitor = desktop.producer
            try desktop.renewCast()
            let change = try place.start(["switch", "--window", "ask"], desktop.environment)
            let changed = try send(by: desktop.producer, untilEndOf: change)
            #expect(changed.status == 0, "\(changed)")
            #expect(desktop.portal.selections.map { $0["types"] } == [.uint32(1), .uint32(2)])
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
            withExtendedLifetime(monitor) {}
        }
    }

    /// Weston's protocols do not let programs copy its screen.
    @Test func `where the compositor cannot be copied, sources lists what the portal gives, and monitors have names`()
        throws
    {
        let session = try WaylandDesktop(size: PixelSize(width: 320, height: 240))
        let desktop = try CastPortal()
        let environment = desktop.environment + session.environment
        try TestPlace.with { place in
            let listed = try place.run(["sources", "--json"], environment)
            let sources = try JSONDecoder().decode(SourceList.self, from: Data(listed.output.utf8))
            #expect(sources.screenBackend == .portal && sources.dialogs == [.monitor, .window], "\(listed)")
            let monitor = try #require(sources.monitors.first).name
            #expect(try place.run(["sources"], environment).output.contains("--window ask"))
            let examined = try place.run(["doctor"], environment).output
            #expect(examined.contains("✓ region") && examined.contains("still picture of the monitor"), "\(examined)")

            let wrong = try place.run(["record", "a.mp4", "--audio", "none", "--monitor", "DP-9"], environment)
            #expect(wrong.status == ExitStatus.unavailable && wrong.errors.contains(monitor), "\(wrong)")
            #expect(desktop.portal.questions == 0)
            // Colours that differ: the file of the take before is there until this one's first frame.
            let rounds: [(x: Int32, colour: UInt32, questions: Int)] = [
                (1920, 0x20_4060, 1), (0, 0xc0_8020, 2), (0, 0x20_c040, 2),
            ]
            for (x, colour, questions) in rounds {
                desktop.portal.change { $0.properties["position"] = .structure([.int32(x), .int32(0)]) }
                let take = try place.start(
                    ["record", "a.mp4", "--overwrite", "--audio", "none", "--json", "--monitor", monitor], environment)
                try show(colour, on: desktop, in: place)
                take.signal(SIGTERM)
                let ended = try take.wait()
                #expect(ended.status == 0, "\(ended)")
                #expect(ended.output.contains("another monitor than \(monitor)") == (x != 0), "\(ended)")
                #expect(desktop.portal.questions == questions)
                try desktop.renewCast()
            }

            for sourceTypes: UInt32 in [2, 0] {
                desktop.portal.change { $0.sourceTypes = sourceTypes }
                let listed = try place.run(["sources"], environment)
                #expect(listed.output.contains("--window ask") == (sourceTypes == 2), "\(listed)")
                #expect(listed.errors.contains("shares no monitors"), "\(listed)")
            }
        }
    }

    @Test func `where no dialog shows windows, one is not asked for`() throws {
        let desktop = try CastPortal { $0.sourceTypes = 1 }
        try TestPlace.with { place in
            let refused = try desktop.record(in: place, ["--window", "ask"]).wait()
            #expect(refused.status == ExitStatus.unavailable, "\(refused)")
            #expect((refused.output + refused.errors).contains("shares no windows"), "\(refused)")
            for backend in ["x11", "wlr"] {
                let wrong = try place.run(
                    ["record", "a.mp4", "--window", "ask", "--backend", backend], desktop.environment)
                #expect(wrong.status == ExitStatus.usage && wrong.errors.contains("--window focused"), "\(wrong)")
            }
            #expect(desktop.portal.questions == 0)
        }
    }

    @Test func `a permission that cannot be kept is told, and the take goes on`() throws {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            for name in ["state", "state/kinecast", "state/kinecast/screen-cast"] { try place.makeDirectory(name) }
            chmod(place.path("state/kinecast/screen-cast"), 0o755)
            let take = try place.start(
                ["record", "a.mp4", "--audio", "none", "--backend", "portal", "--json"],
                desktop.environment + ["XDG_STATE_HOME=\(place.path("state"))"])
            try show(0x20_4060, on: desktop, in: place)
            try take.event("warning") { $0.message?.contains("chmod 700") == true }
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `when PipeWire dies and comes back, the take goes on, and nobody is asked`() throws {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            let take = try desktop.record(in: place)
            try show(0x20_4060, on: desktop, in: place)
            // What needs PipeWire fails until all of it is back.
            desktop.portal.change { $0.faults["CreateSession"] = .refuses(name: "org.freedesktop.DBus.Error.Failed") }
            desktop.server.end()
            let lost = try take.event("sourceInterrupted")
            #expect(lost.reason == "castLost" && lost.message?.contains("PipeWire") == true, "\(lost)")
            try desktop.server.restart()
            try desktop.renewCast()
            desktop.portal.change { $0.faults = [:] }
            try show(0xc0_8020, on: desktop, in: place)
            #expect(desktop.portal.questions == 1)
            desktop.portal.closeSessions()
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            let events = RunningKinecast.Event.all(in: ended.output).map(\.event)
            #expect(
                events.filter { ["warning", "sourceInterrupted", "sourceReturned"].contains($0) } == [
                    "sourceInterrupted", "sourceReturned",
                ])
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            for colour: UInt32 in [0x20_4060, 0xc0_8020] {
                #expect(frames.contains { isShown(colour, in: $0) })
            }
        }
    }

    @Test func `a cast that ends with its monitor is asked for again when the monitor is back, and nobody is asked`()
        throws
    {
        let desktop = try CastPortal()
        let compositor = try CaptureCompositor(size: PixelSize(width: 320, height: 240))
        try TestPlace.with { place in
            let take = try desktop.record(in: place, [], compositor.environment)
            try show(0x20_4060, on: desktop, in: place)
            try compositor.send("remove DP-1")
            desktop.portal.closeSessions()
            let gone = try take.event("sourceInterrupted")
            #expect(gone.reason == "monitorGone" && gone.monitor == "DP-1", "\(gone)")
            try desktop.renewCast()
            try compositor.send("output DP-1 320 240 0 0")
            try take.event("sourceReturned")
            try show(0xc0_8020, on: desktop, in: place)
            #expect(desktop.portal.questions == 1)
            // The monitor is in its place: this end is the person's.
            desktop.portal.closeSessions()
            let ended = try take.wait()
            #expect(
                ended.status == 0 && ended.events.last?.reason == "the desktop has ended its screen cast", "\(ended)")
            let frames = try ColourFrame.all(in: place.path("a.mp4"))
            for colour: UInt32 in [0x20_4060, 0xc0_8020] {
                #expect(frames.contains { isShown(colour, in: $0) })
            }
        }
    }

    @Test func `a cast that ends with its monitor ends a take that is to stop then`() throws {
        let desktop = try CastPortal()
        let compositor = try CaptureCompositor(size: PixelSize(width: 320, height: 240))
        try TestPlace.with { place in
            let take = try desktop.record(in: place, ["--when-unplugged", "stop"], compositor.environment)
            try show(0x20_4060, on: desktop, in: place)
            try compositor.send("remove DP-1")
            desktop.portal.closeSessions()
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.events.last?.reason == "monitor DP-1 is gone", "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }

    @Test func `when PipeWire stays away, the take ends with a sentence and a whole file`() throws {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            let take = try desktop.record(in: place)
            try show(0x20_4060, on: desktop, in: place)
            desktop.server.end()
            let ended = try take.wait()
            #expect(ended.status == ExitStatus.unavailable, "\(ended)")
            #expect(ended.errors.contains("PipeWire was lost") || ended.output.contains("PipeWire was lost"))
            #expect(desktop.portal.questions == 1)
            _ = try TakeFile.finishedDuration(place.path("a.mp4"))
        }
    }

    @Test func `the picture after a pause is the newest, also where nothing has changed since`() throws {
        let desktop = try CastPortal()
        try TestPlace.with { place in
            let take = try desktop.record(in: place)
            try show(0x20_4060, on: desktop, in: place)
            #expect(try place.run(["pause"], desktop.environment).status == 0)
            // More than there are buffers.
            for number: UInt32 in 1...20 {
                try desktop.producer.paint(Self.painted, number * 0x0a_0a0a)
                try desktop.producer.send("frame")
            }
            let last: UInt32 = 0xc0_8020
            try desktop.producer.paint(Self.painted, last)
            try desktop.producer.send("frame")
            #expect(try place.run(["resume"], desktop.environment).status == 0)
            try wait("the picture in the file") {
                let frames = (try? ColourFrame.all(in: place.path("a.mp4"), isFinished: false)) ?? []
                return frames.last.map { isShown(last, in: $0) } ?? false
            }
            take.signal(SIGTERM)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `while the person hesitates, the take can be ended, and the question goes away`() throws {
        let desktop = try CastPortal { $0.person = .hesitates }
        try TestPlace.with { place in
            let take = try desktop.record(in: place)
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
