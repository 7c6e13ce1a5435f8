// A recording that an app looks into and cuts, with a real engine.
import CoreTesting
import FoundationEssentials
import KineClient
import KineMeasure
import KineMedia
import KineWire
import Synchronization
import Testing

@testable import Kinecast

@Suite(.tags(.real)) struct EditingTests {
    private let folder: TemporaryDirectory
    private let recorder: ScreenRecorder

    init() throws {
        folder = try TemporaryDirectory()
        recorder = ScreenRecorder(
            app: AppIdentity(identifier: "org.example.Editing"),
            locator: EngineLocator(named: try Tool.sibling("kinecast-engine")),
            store: RecordingStore(directory: URL(filePath: folder.file("recordings"))))
    }

    /// Two seconds of a pattern, in a file of the person's.
    private func record() async throws -> RecordingPreview {
        var configuration = TakeConfiguration(
            source: .pattern(PixelSize(width: 321, height: 240)), output: folder.file("a.mp4"))
        configuration.durationLimit = .seconds(2)
        let session = try await EngineSession.start(
            configuration, locator: recorder.locator)
        for await event in session.events {
            guard case .ended(let outcome) = event else { continue }
            return try #require(RecordingResult(outcome, isSaved: true, store: recorder.store).preview)
        }
        throw RecordingError.notRecording
    }

    @Test func `an excerpt is a preview of its own, and the recording stays until it is discarded`() async throws {
        let recording = try await record()
        let path = try #require(recording.url).path
        let before = FileManager.default.contents(atPath: path)
        let progress = Mutex<[Double]>([])
        let excerpt = try await recording.trim(from: .milliseconds(310), to: .milliseconds(1500)) { fraction in
            progress.withLock { $0.append(fraction) }
        }
        let steps = progress.withLock { $0 }
        #expect(steps == steps.sorted() && steps.count > 2 && steps.last == 1, "\(steps)")
        #expect(excerpt.duration == .milliseconds(1190))
        #expect(excerpt.size == recording.size)
        #expect(FileManager.default.contents(atPath: path) == before)
        // An excerpt of an excerpt, which is a recording of its own.
        let second = try await excerpt.trim(to: .milliseconds(500))
        #expect(second.duration == .milliseconds(500))
        let unsaved = try await recorder.unsavedRecordings()
        #expect(Set(unsaved.map(\.url)) == [excerpt.url, second.url] && unsaved.count == 2)
        try await excerpt.save(to: URL(filePath: folder.file("kept.mp4")))
        #expect(try await recorder.unsavedRecordings().map(\.url) == [second.url])
        // Nothing else was made in the person's directory.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["a.mp4", "kept.mp4", "recordings"])
    }

    @Test func `an opened file is the person's, unless it is an unsaved recording of the app`() async throws {
        let recording = try await record()
        let file = try #require(recording.url)
        let opened = try await RecordingPreview.open(file)
        #expect((opened.duration, opened.size) == (recording.duration, recording.size))
        try await opened.save(to: URL(filePath: folder.file("b.mp4")))
        try await opened.discard()
        #expect(FileManager.default.fileExists(atPath: file.path) && opened.url?.path == folder.file("b.mp4"))
        let excerpt = try #require(try await recording.trim(to: .seconds(1)).url)
        let unsaved = try await RecordingPreview.open(excerpt, in: recorder.store)
        try await unsaved.save(to: URL(filePath: folder.file("c.mp4")))
        #expect(!FileManager.default.fileExists(atPath: excerpt.path))
    }

    @Test func `thumbnails are in the order of their times, of the asked size and form`() async throws {
        let recording = try await record()
        let times: [Duration] = [.milliseconds(1500), .zero, .milliseconds(700), .milliseconds(1500)]
        let small = try await recording.thumbnails(
            at: times, maximumSize: PixelSize(width: 100, height: 100), format: .jpeg)
        #expect(small.map(\.size) == Array(repeating: PixelSize(width: 100, height: 75), count: 4))
        for (image, time) in zip(small, times) {
            // The frame that is shown then. How old it is, a busy machine says.
            #expect(image.time <= time)
            #expect(image.data.starts(with: [0xff, 0xd8]))
        }
        #expect(small[1].time == .zero && small[2].time > .zero && small[0].time > small[2].time)
        #expect(small[0] == small[3] && small[0].data != small[1].data)
        let whole = try await recording.thumbnails(at: [recording.duration])
        #expect(whole.first?.size == PixelSize(width: 321, height: 240))
        let poster = try await recording.poster
        #expect(poster.data.starts(with: [0x89, 0x50, 0x4e, 0x47]))
        #expect(try await recording.thumbnails(at: []) == [])
        // More than an engine makes at a time.
        let many = try await recording.thumbnails(
            at: (0..<250).map { .milliseconds($0) }, maximumSize: PixelSize(width: 8, height: 8), format: .jpeg)
        #expect(many.count == 250)
    }

    @Test func `times outside of the recording are typed errors`() async throws {
        let recording = try await record()
        let end = recording.duration
        for (from, to) in [
            (Duration.seconds(3), Duration?.none), (.seconds(1), .seconds(1)), (.seconds(-1), nil),
            (.seconds(-1), .seconds(1)), (.zero, end + .nanoseconds(1)), (.seconds(1), .seconds(1 << 60)), (end, nil),
        ] {
            let error = await #expect(throws: RecordingError.self) { try await recording.trim(from: from, to: to) }
            #expect(error?.code == .outOfRange)
        }
        for time in [Duration.seconds(9), .nanoseconds(-1)] {
            let error = await #expect(throws: RecordingError.self) {
                try await recording.thumbnails(at: [.zero, time])
            }
            #expect(error?.code == .outOfRange && error?.message.contains("\(MediaTime(end).seconds) s") == true)
        }
        // The whole recording is as long as the recording.
        for whole in [try await recording.trim(), try await recording.trim(to: end)] {
            #expect(whole.duration == end && whole.description.hasSuffix(" (\(MediaTime(end).seconds) s, 321x240)"))
        }
    }

    @Test func `an excerpt that is cancelled leaves nothing behind`() async throws {
        let recording = try await record()
        let task = Task { try await recording.trim(from: .milliseconds(500)) }
        task.cancel()
        let error = await #expect(throws: RecordingError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("recordings")) == [])
    }
}
