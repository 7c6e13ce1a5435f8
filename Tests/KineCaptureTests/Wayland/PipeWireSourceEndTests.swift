// How casts over a real PipeWire end, pause, and follow one another.
import CastTesting
import CoreTesting
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import SystemPackage
import Testing

@testable import KineCapture
@testable import KinePipeWire

extension PipeWireSourceTests {
    @Test func `a cast that shows nothing but its cursor is given up as well`() throws {
        let fixture = try CastFixture()
        let opening = try fixture.opening(limits: CastStateMachine.Limits(opening: 1_000_000_000, pause: 1))
        try fixture.producer.begin("frame corrupted=1 cursor=1,1,1 bitmap=8x8,ff0000ff")
        #expect(throws: VideoSourceError.castGaveNoFrame(seconds: 1)) { try CastFixture.opened(opening) }
    }

    @Test func `a format that nobody asked for is no cast`() throws {
        let fixture = try CastFixture(pixels: "yuy2")
        // PipeWire tells the producer alone.
        let opening = try fixture.opening(limits: CastStateMachine.Limits(opening: 1_000_000_000, pause: 1))
        #expect(throws: VideoSourceError.castGaveNoFrame(seconds: 1)) { try CastFixture.opened(opening) }
    }

    @Test func `a connection that is none is an error`() throws {
        let pipe = try FileDescriptor.pipe()
        try pipe.writeEnd.close()
        #expect(throws: VideoSourceError.self) {
            let opening = try PipeWireOpening(
                descriptor: pipe.readEnd, node: 1, options: .init(highestRate: 30, reportsPointer: false))
            _ = try CastFixture.opened(opening)
        }
    }

    @Test(arguments: [false, true]) func `a producer that dies or leaves is the cast's end, after a pause`(leaves: Bool)
        throws
    {
        let fixture = try CastFixture()
        let watcher = try fixture.watch(limits: CastStateMachine.Limits(opening: Tool.timeout, pause: 200_000_000))
        if leaves { try fixture.producer.send("leave") } else { fixture.producer.end() }
        #expect(throws: VideoSourceError.castStopped) { try watcher.follow { _ in false } }
        #expect(throws: VideoSourceError.castStopped) { try watcher.source.processEvents() }
    }

    /// GNOME 51's window that is closed, by PipeWire 1.6: the error comes, and the node is taken away.
    @Test func `a node that the session manager does not find any more is the cast's end, and another error its loss`()
        throws
    {
        for (number, error) in [
            (ENOENT, VideoSourceError.screenCastClosed), (EACCES, VideoSourceError.castLost("not for you")),
        ] {
            let fixture = try CastFixture()
            let watcher = try fixture.watch()
            try fixture.producer.send("dismiss \(number) not for you")
            #expect(throws: error) { try watcher.follow { _ in false } }
            #expect(throws: error) { try watcher.source.processEvents() }
        }
    }

    @Test func `a producer that dies before its first frame is no cast`() throws {
        let fixture = try CastFixture()
        let opening = try fixture.opening(limits: CastStateMachine.Limits(opening: 1_000_000_000, pause: 1))
        fixture.producer.end()
        #expect(throws: VideoSourceError.self) { try CastFixture.opened(opening) }
    }

    @Test func `a pause ends nothing where it ends in time`() throws {
        let fixture = try CastFixture()
        let watcher = try fixture.watch()
        try fixture.producer.send("pause")
        try watcher.wait("the pause") { watcher.source.deadline != nil }
        #expect(try watcher.source.read(.full(size: Self.size)) { _ in }, "the newest frame stays readable")
        try fixture.producer.send("resume")
        try watcher.wait("the pause's end") { watcher.source.deadline == nil }
        try fixture.producer.setPattern(4)
        try fixture.send("frame", untilShownBy: watcher)
        #expect(watcher.source.deadline == nil)
    }

    @Test func `a cast that takes another's place is open without a frame, and its first one is whole`() throws {
        let fixture = try CastFixture()
        let opening = try fixture.opening(continues: true)
        let source = try CastFixture.opened(opening)
        #expect(source.size == PixelSize(width: 0, height: 0))
        #expect(try !source.processEvents() && !source.read(.full(size: Self.size)) { _ in })
        fixture.producer.whileWaiting = { [weak source] in _ = try? source?.processEvents() }
        try CoreTesting.wait("the frame") {
            try fixture.producer.send("frame damage=0,0,1,1")
            return try source.processEvents()
        }
        let watcher = try Watcher(source)
        #expect(fixture.isShown(by: watcher))
    }

    @Test func `without PipeWire there is no cast any more`() throws {
        let fixture = try CastFixture()
        let (watcher, opening) = (try fixture.watch(), try fixture.opening())
        fixture.server.end()
        for source in [{ try watcher.follow { _ in false } }, { _ = try CastFixture.opened(opening) }]
            as [() throws -> Any]
        {
            do {
                _ = try source()
                Issue.record("it goes on")
            } catch let error as VideoSourceError {
                #expect(error.kind == .castLost && error != .castLost(""))
            }
        }
    }

    @Test func `no cast leaves a descriptor behind`() throws {
        let server = try PrivatePipeWire()
        func descriptors() -> Int { PrivateDirectory.entries("/proc/self/fd").count }
        var counts: [Int] = []
        for _ in 0..<4 {
            do {
                let fixture = try CastFixture(on: server)
                let watcher = try fixture.watch()
                try fixture.producer.resize(to: PixelSize(width: 64, height: 64))
                try fixture.send("frame", untilShownBy: watcher)
            }
            counts.append(descriptors())
        }
        #expect(counts[3] == counts[1], "\(counts)")
    }
}
