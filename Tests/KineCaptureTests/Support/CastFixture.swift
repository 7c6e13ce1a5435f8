// A PipeWire, a producer on it, and a source that reads it.
import CastTesting
import CoreTesting
import KineMeasure
import KineMedia
import KinePlatform
import Testing

@testable import KineCapture
@testable import KinePipeWire

/// Used by one test.
final class CastFixture {
    let server: PrivatePipeWire
    let producer: CastProducer

    init(
        size: PixelSize = PixelSize(width: 160, height: 96), memory: CastProducer.Memory = .sealed,
        metas: String = CastProducer.allMetas, pixels: String = "bgrx", on server: PrivatePipeWire? = nil
    ) throws {
        self.server = try server ?? PrivatePipeWire()
        producer = try CastProducer(on: self.server, size: size, memory: memory, metas: metas, pixels: pixels)
    }

    func opening(
        cursor: Bool = true, limits: CastStateMachine.Limits = .patient, continues: Bool = false
    ) throws -> PipeWireOpening {
        try PipeWireOpening(
            descriptor: server.connect(), node: producer.node,
            options: PipeWireSource.Options(highestRate: 60, reportsPointer: cursor), limits: limits,
            continues: continues)
    }

    /// Opens the cast, whose first frame is made by `frame`, and reads it.
    func watch(
        frame: String = "frame", cursor: Bool = true, scale: Double = 1, limits: CastStateMachine.Limits = .patient
    ) throws -> Watcher {
        let opening = try opening(cursor: cursor, limits: limits)
        producer.whileWaiting = { _ = try? opening.processEvents() }
        try CoreTesting.wait("a buffer") {
            try producer.send("frame stale=1 corrupted=1")
            _ = try opening.processEvents()
            return opening.receivesBuffers
        }
        try producer.begin(frame)
        let source = try Self.opened(opening)
        producer.whileWaiting = { [weak source] in _ = try? source?.processEvents() }
        try producer.finish()
        var video = TakeConfiguration.Video()
        (video.showsCursor, video.cursorScale) = (cursor, scale)
        return try Watcher(source, showing: video)
    }

    /// Waits until the opening is through.
    static func opened(_ opening: PipeWireOpening) throws -> any VideoSource {
        var waiter = SourceWaiter(wake: WakeSignal(), descriptors: [opening.descriptor])
        let deadline = MonotonicClock.now() + Tool.timeout
        while MonotonicClock.now() < deadline {
            if let source = try opening.processEvents() { return source }
            waiter.wait(until: min(deadline, opening.deadline ?? .max), for: .sources)
        }
        throw VideoSourceError.castGaveNoFrame(seconds: Int(Tool.timeout / 1_000_000_000))
    }

    /// Sends frames until one has arrived: what is sent before a reader has the buffers of a new format is lost.
    func send(_ frame: String, untilShownBy watcher: Watcher, crop: PixelRect? = nil) throws {
        try CoreTesting.wait("the picture") {
            try producer.send(frame)
            if try watcher.wait(until: MonotonicClock.now() + 20_000_000) == .changed { try watcher.look() }
            return isShown(by: watcher, crop: crop)
        }
    }

    /// Whether the watcher shows the producer's picture, or a part of it.
    func isShown(by watcher: Watcher, crop: PixelRect? = nil) -> Bool {
        let picture = crop.map { producer.picture.cropped($0) } ?? producer.picture
        return watcher.size == picture.size && watcher.pixels == picture.pixels
    }
}

extension CastStateMachine.Limits {
    /// Only a failure waits that long.
    static let patient = CastStateMachine.Limits(
        opening: Tool.timeout, pause: Tool.timeout, newFormat: Tool.timeout)
}

extension Watcher {
    /// Handles events, without collecting damage, until `condition` holds.
    func wait(_ what: String, until condition: () -> Bool) throws {
        try CoreTesting.wait(what) {
            _ = try source.processEvents()
            return condition()
        }
    }

    /// The damage of a frame that the producer makes by `command`, read. Waits for it.
    func damage(of command: String, by producer: CastProducer) throws -> DamageRegion {
        try producer.send(command)
        #expect(try wait(until: MonotonicClock.now() + Tool.timeout) == .changed)
        return try look()
    }
}
