// The thread that reads a camera. It waits for the device as long as that takes; the capture thread takes the newest frame.
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// The frames of one camera, from the thread that reads it to the one that shows them. The newest frame wins.
final class CameraThread: Sendable {
    /// The pixels of one frame: BGRA, rows without gaps. One thread at a time has it.
    final class Frame: @unchecked Sendable {
        // Sendable: the lock of `state` is passed whenever a frame changes hands.
        let size: PixelSize
        let pixels: UnsafeMutableRawPointer

        init(size: PixelSize) {
            self.size = size
            pixels = .allocate(byteCount: size.area * 4, alignment: 64)
        }

        deinit { pixels.deallocate() }

        var stride: Int { size.width * 4 }
    }

    private struct State {
        var newest: Frame?
        /// A frame to write to.
        var spare: Frame?
        var failure: VideoSourceError?
    }

    private let state = Mutex(State())
    private let wake = WakeSignal()
    private let cancellation = Cancellation()

    /// Opens the camera in a new thread, which ends soon after `end`. It is not waited for: a device may keep it.
    init(_ input: CameraInput, wanted: PixelSize) throws(VideoSourceError) {
        do throws(Errno) {
            _ = try DedicatedThread(starting: "camera") { [self] in run(input, wanted) }
        } catch {
            throw .noThread(name: "camera", error)
        }
    }

    // MARK: The thread that shows

    /// For poll: readable when there is a new frame, or no more of them.
    var descriptor: Int32 { wake.descriptor }

    func clear() { wake.clear() }

    /// The reason why there are no more frames.
    var failure: VideoSourceError? { state.withLock { $0.failure } }

    var hasFrame: Bool { state.withLock { $0.newest != nil } }

    /// The newest frame; nil where there is none since the last call. `last` is the one that it replaces.
    func next(after last: Frame?) -> Frame? {
        state.withLock { state in
            guard let frame = state.newest.take() else { return nil }
            state.spare = last
            return frame
        }
    }

    func end() { cancellation.cancel() }

    // MARK: The thread that reads

    private func run(_ input: CameraInput, _ wanted: PixelSize) {
        do throws(VideoSourceError) {
            let reader = try CameraReader(input, wanted: wanted)
            var pace = CameraPace()
            var hasFrames = false
            while !cancellation.isCancelled {
                guard try reader.read() else {
                    guard hasFrames, reader.rewind() else {
                        throw VideoSourceError.cameraFailed("it has no frames", of: input)
                    }
                    hasFrames = false
                    pace.restart()
                    continue
                }
                hasFrames = true
                if input.isPaced {
                    let due = pace.instant(of: reader.time, now: MonotonicClock.now())
                    _ = WakeSignal.poll([cancellation.descriptor], until: due)
                }
                try publish(reader, of: input)
            }
        } catch {
            state.withLock { $0.failure = error }
            wake.signal()
        }
    }

    private func publish(_ reader: CameraReader, of input: CameraInput) throws(VideoSourceError) {
        let size = reader.size
        guard size.width > 0, size.height > 0, size.area <= Self.mostPixels else {
            throw .cameraFailed("its frames have \(size.width)x\(size.height) pixels", of: input)
        }
        let spare = state.withLock { $0.spare.take() }
        let frame = if let spare, spare.size == size { spare } else { Frame(size: size) }
        try reader.convert(to: frame.pixels, stride: frame.stride)
        state.withLock { state in
            // Nobody has taken the frame before: its memory is next.
            if let missed = state.newest { state.spare = missed }
            state.newest = frame
        }
        wake.signal()
    }

    /// 8K.
    private static let mostPixels = 8192 * 4608
}

/// The instants at which the frames of a file are due.
struct CameraPace {
    /// The first frame's, and its time in the file.
    private var begin: (instant: Int64, time: Int64)?
    private var last: (instant: Int64, time: Int64)?

    /// Nanoseconds between two frames where their times are not known.
    private static let interval: Int64 = 33_333_333
    private static let longestGap: Int64 = 10_000_000_000

    /// The file is read from its beginning again. A file of one frame gives it at no higher rate than others.
    mutating func restart() { begin = nil }

    /// The instant of the next frame, of CLOCK_MONOTONIC as `now`. `time`: the frame's in its file; nil: not known.
    mutating func instant(of time: Int64?, now: Int64) -> Int64 {
        let time = time ?? (last.map { $0.time + Self.interval } ?? 0)
        var due = max(now, last.map { $0.instant + Self.interval } ?? now)
        // Where a time leaps, or the machine has slept, the pace starts again with this frame.
        if let begin, let last, time >= last.time, time - last.time < Self.longestGap,
            begin.instant + time - begin.time > now - 1_000_000_000
        {
            due = begin.instant + time - begin.time
        } else {
            begin = (due, time)
        }
        last = (due, time)
        return due
    }
}
