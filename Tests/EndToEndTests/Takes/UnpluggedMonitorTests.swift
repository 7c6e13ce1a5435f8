// A recorded monitor that is unplugged during a take: what is said, what the file has, and how the take ends where that was asked for.
import Glibc
import KineMedia
import KinePlatform
import ProcessTesting
import ScreenTesting
import Testing

@Suite(.serialized, .tags(.real, .programs)) struct UnpluggedMonitorTests {
    private static let size = PixelSize(width: 320, height: 240)

    enum Desktop: CaseIterable, Sendable {
        case x11, wayland
    }

    /// A desktop whose second monitor can be taken away and given back.
    private struct Fixture {
        let monitor: String
        let environment: [String]
        let setPlugged: (Bool) throws -> Void

        init(_ desktop: Desktop) throws {
            switch desktop {
            case .x11:
                let screen = try PrivateScreen(size: PixelSize(width: 640, height: 480))
                monitor = "Desk"
                environment = ["DISPLAY=\(screen.name)"]
                setPlugged = { isPlugged in
                    guard isPlugged else { return try screen.deleteMonitor("Desk") }
                    try screen.setMonitor("Desk", PixelRect(origin: (160, 120), size: size))
                }
                try setPlugged(true)
            case .wayland:
                // sway 1.7, of Debian 12, cannot turn off an output that it draws in memory.
                let compositor = try CaptureCompositor(size: size)
                monitor = "DP-1"
                environment = compositor.environment
                setPlugged = { isPlugged in
                    try compositor.send(isPlugged ? "output DP-1 \(size.width) \(size.height) 0 0" : "remove DP-1")
                }
            }
        }

        func record(_ place: TestPlace, _ arguments: String...) throws -> RunningKinecast {
            try place.start(
                ["record", "a.mp4", "--audio", "none", "--json", "--monitor", monitor] + arguments, environment)
        }
    }

    @Test(arguments: Desktop.allCases)
    func `a take waits with the last picture, says since when, and goes on`(desktop: Desktop) throws {
        let fixture = try Fixture(desktop)
        try TestPlace.with { place in
            let take = try fixture.record(place)
            try take.event("started")
            try fixture.setPlugged(false)
            let gone = try take.event("sourceInterrupted")
            #expect(gone.reason == "monitorGone" && gone.monitor == fixture.monitor)
            #expect(gone.message?.hasPrefix("Monitor \(fixture.monitor) is gone; ") == true, "\(gone)")
            let status = try place.run("status")
            #expect(status.output.contains(": Monitor \(fixture.monitor) is gone since "), "\(status)")
            let line = try place.run("status", "--json")
            #expect(line.output.contains(#""interruption":"monitorGone""#), "\(line)")
            try fixture.setPlugged(true)
            try take.event("sourceReturned")
            #expect(try !place.run("status").output.contains("is gone"))
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.events.last?.reason == "stopped", "\(ended)")
            #expect(ended.events.count { $0.event == "sourceInterrupted" } == 1)
        }
    }

    @Test(arguments: Desktop.allCases)
    func `a take that is to stop then ends well, and names the reason`(desktop: Desktop) throws {
        let fixture = try Fixture(desktop)
        try TestPlace.with { place in
            let take = try fixture.record(place, "--when-unplugged", "stop")
            try take.event("started")
            try fixture.setPlugged(false)
            let ended = try take.wait()
            #expect(ended.status == 0 && ended.events.last?.result == "finished", "\(ended)")
            #expect(ended.events.last?.reason == "monitor \(fixture.monitor) is gone", "\(ended)")
            #expect(try TakeFile.finishedDuration(place.path("a.mp4")) > 0)
        }
    }
}
