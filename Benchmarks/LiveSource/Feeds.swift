// A scene as encoded samples, in real time.
import Glibc
import KineCodecs
import KineImaging
import KineMeasure
import KineMedia
import KinePlatform
import KineX264

/// The frames of a scene. Used by one thread.
final class FrameFeed: @unchecked Sendable {
    // Sendable: handed to its thread once, before that thread starts.
    let format: VideoFormat
    private let scene: any Scene
    private let buffer: OwnedCanvas
    private let ring: FrameRing
    private let encoder: X264Encoder
    private let fps: Int

    init(scene: any Scene, size: PixelSize, fps: Int) throws {
        self.scene = scene
        self.fps = fps
        buffer = OwnedCanvas(size: size)
        ring = FrameRing(size: size)
        encoder = try X264Encoder(
            VideoEncoderSettings(size: size, rateControl: .constantQuantizer(24), nominalFrameRate: fps))
        format = VideoFormat(parameterSets: .h264(encoder.h264ParameterSets), size: size)
    }

    /// Paints, encodes and delivers until it is over, a keyframe every two seconds and whenever `request` asks for one.
    func run(from start: Int64, request: WakeSignal, isOver: () -> Bool, deliver: (EncodedSample) -> Void) {
        var lastKeyframe = Int64.min / 2
        var number = 0
        while !isOver(), let due = scene.instant(of: number) {
            let asked = WakeSignal.poll([request.descriptor], until: start + due)[0]
            if asked { request.clear() }
            var time = timespec(tv_sec: Int((start + due) / 1_000_000_000), tv_nsec: Int((start + due) % 1_000_000_000))
            clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil)
            scene.paint(number, on: buffer.canvas)
            LiveSourceCommand.say("frame \(number) \(MonotonicClock.now())")
            let isKeyframe = asked || due - lastKeyframe >= 2_000_000_000
            if isKeyframe { lastKeyframe = due }
            guard ring.begin() else { continue }
            let canvas = buffer.canvas
            ring.draw(PixelRect(size: canvas.size), bgra: canvas.pixels, stride: canvas.stride * 4)
            guard let frame = ring.commit(evenIfUnchanged: true) else { continue }
            if let sample = try? encoder.encode(
                frame.planes, changed: frame.changed, at: MediaTime(nanoseconds: due), forceKeyframe: isKeyframe)
            {
                deliver(sample)
            }
            ring.release(frame)
            number += 1
        }
    }
}

/// The beeps of a scene, or silence. Used by one thread.
final class AudioFeed: @unchecked Sendable {
    // Sendable: handed to its thread once, before that thread starts.
    let format: AudioTrackFormat
    private let encoder: AACTrackEncoder
    private let beeps: any Scene

    init(beeps: any Scene) throws {
        self.beeps = beeps
        let encoder = try AACEncoder(sampleRate: 48000, channels: 2, bitrate: 128_000)
        format = encoder.trackFormat(.audioApp)
        self.encoder = AACTrackEncoder(encoder: encoder)
    }

    func run(from start: Int64, isOver: () -> Bool, deliver: (EncodedSample) -> Void) {
        var next = 0
        while beeps.instant(of: next) != nil, !beeps.beeps(at: next), next < 4 { next += 1 }
        var position: Int64 = 0
        var beginning = beeps.beeps(at: next) ? beeps.instant(of: next) ?? .max : .max
        while !isOver() {
            var samples = [Float](repeating: 0, count: 2048)
            for index in 0..<1024 {
                let time = (position + Int64(index)) * 1_000_000_000 / 48000
                if time - FlashScene.length >= beginning {
                    next += 1
                    while !beeps.beeps(at: next) { next += 1 }
                    beginning = beeps.instant(of: next) ?? .max
                }
                guard time >= beginning else { continue }
                let phase = Double((position + Int64(index)) % 48) / 48 * 2 * Double.pi
                samples[index * 2] = Float(sin(phase)) * 0.5
                samples[index * 2 + 1] = samples[index * 2]
            }
            position += 1024
            let due = start + position * 1_000_000_000 / 48000
            var time = timespec(tv_sec: Int(due / 1_000_000_000), tv_nsec: Int(due % 1_000_000_000))
            clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &time, nil)
            try? encoder.encode(interleaved: samples.span) { deliver(encoder.sample($0, type: .audioApp)) }
        }
    }
}
