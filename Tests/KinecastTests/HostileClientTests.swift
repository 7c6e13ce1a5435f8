// A client that writes nonsense where it may write: only its own samples end, and it may ask for them again.
import CoreTesting
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes
import KineWire
import SystemPackage
import Testing

@Suite(.tags(.real)) struct HostileClientTests {
    /// The messages about samples that a connection receives, in order.
    private struct SampleMessages {
        let connection: ClientConnection
        private var waiting: [SampleFeedMessage] = []

        init(_ connection: ClientConnection) { self.connection = connection }

        /// The reason why the next request is refused.
        func nextRefusal() throws -> String {
            let deadline = WaitLimit.deadline()
            while MonotonicClock.now() < deadline {
                for case .answer(_, .failure(let refusal)) in try connection.receive(until: deadline) {
                    return refusal.message
                }
            }
            throw Errno.timedOut
        }

        mutating func next() throws -> SampleFeedMessage {
            let deadline = WaitLimit.deadline()
            while waiting.isEmpty, MonotonicClock.now() < deadline {
                waiting = try connection.receive(until: deadline).compactMap { message in
                    if case .event(.samples(let message)) = message { message } else { nil }
                }
            }
            return try #require(waiting.isEmpty ? nil : waiting.removeFirst(), "a message about samples")
        }
    }

    /// Overwrites the memory through which a reader tells what it has read.
    private func scribble(_ page: FileDescriptor) throws {
        var status = stat()
        #expect(fstat(page.rawValue, &status) == 0)
        let size = Int(status.st_size)
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, page.rawValue, 0)
        let bytes = try #require(memory != MAP_FAILED ? memory : nil, "the page can be written")
        memset(bytes, 0xff, size)
        munmap(bytes, size)
    }

    private static let impossible = [
        FrameShape(size: PixelSize(width: 641, height: 480)), FrameShape(size: PixelSize(width: .max, height: 2)),
        FrameShape(size: PixelSize(width: 0, height: -2), crop: .fill),
        FrameShape(crop: .part(PixelRect(x: .max, y: 0, width: .max, height: 1))),
        FrameShape(crop: .part(PixelRect(x: 0, y: -1, width: 64, height: 64)), orientation: .left),
    ]

    @Test func `nonsense ends the feed of the client that wrote it, and nothing else`() async throws {
        let folder = try TemporaryDirectory()
        let owner = try await EngineSession.start(
            TakeConfiguration(source: .pattern(PixelSize(width: 128, height: 96)), output: folder.file("a.mp4")),
            locator: EngineLocator(named: try Tool.sibling("kinecast-engine")))
        var take: TakeStarted?
        for await event in owner.events {
            guard case .engine(.started(let started)) = event else { continue }
            take = started
            break
        }
        let registry = try TakeRegistry.standard()
        let connection = try registry.connect(to: try registry.find(try #require(take).id))
        var messages = SampleMessages(connection)
        let request = SampleRequest(
            video: .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil), appAudio: .pcm)
        for round in 1...2 {
            try connection.send(.receiveSamples(request))
            guard case .start = try messages.next() else {
                Issue.record("no samples came in round \(round)")
                return
            }
            let descriptors = connection.removeDescriptors()
            defer { for descriptor in descriptors { try? descriptor.close() } }
            try scribble(try #require(descriptors.dropFirst().first))
            guard case .failed(let sentence) = try messages.next() else {
                Issue.record("the feed did not end")
                return
            }
            #expect(sentence.contains("corrupted its sample buffer"))
        }
        for shape in Self.impossible {
            try connection.send(
                .receiveSamples(
                    SampleRequest(
                        video: .raw(pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil, shape: shape))))
            let reason = try messages.nextRefusal()
            #expect(reason.contains("crop's") || reason.contains("size of the samples"), "\(shape)")
        }
        try connection.send(
            .receiveSamples(
                SampleRequest(
                    video: .raw(
                        pixelFormat: .i420, maximumSize: nil, framesPerSecond: nil,
                        shape: FrameShape(orientation: .left), orientation: .source))))
        #expect(try messages.nextRefusal().contains("orientation of the samples"))
        #expect(try await owner.status().phase == .recording)
        guard case .finished = try await owner.stop() else {
            Issue.record("The take was not finished.")
            return
        }
        #expect(try RecordedVideo(path: folder.file("a.mp4")).size == PixelSize(width: 128, height: 96))
    }
}
