// The thread that reads a camera. It waits for the device; the capture thread uses the newest frame.
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// Passes the newest frame of a camera from the thread that reads it to the one that shows it.
final class CameraThread: Sendable {
    /// The pixels of one frame: BGRA, rows without gaps. Used by one thread at a time.
    final class Frame: @unchecked Sendable {
        // Sendable: a frame is passed between threads under the lock of `state`.
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

    /// Opens the camera in a new thread, which ends soon after `end`. No call waits for it: the device may block it.
    init(_ input: CameraInput, wanted: PixelSize) throws(VideoSourceError) {
        do throws(Errno) {
            _ = try DedicatedThread(starting: "camera") { [self] in run(input, wanted) }
        } catch {
            throw .noThread(name: "camera", error)
        }
    }

    // MARK: The capture thread

    /// For poll: readable after a new frame, and when no more follow.
    var descriptor: Int32 { wake.descriptor }

    func clear() { wake.clear() }

    /// The reason why no more frames follow.
    var failure: VideoSourceError? { state.withLock { $0.failure } }

    var hasFrame: Bool { state.withLock { $0.newest != nil } }

    /// The newest frame, if there is one since the last call. `last` is the frame that it replaces.
    func next(after last: Frame?) -> Frame? {
        state.withLock { state in
            guard let frame = state.newest.take() else { return nil }
            state.spare = last
            return frame
        }
    }

    func end() { cancellation.cancel() }

    // MARK: The camera's thread

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
            // The previous frame was not used: its memory is reused.
            if let missed = state.newest { state.spare = missed }
            state.newest = frame
        }
        wake.signal()
    }

    /// 8K.
    private static let mostPixels = 8192 * 4608
}

/// Computes when the frames of a file are due.
struct CameraPace {
    /// The first frame's instant, and its time in the file.
    private var begin: (instant: Int64, time: Int64)?
    private var last: (instant: Int64, time: Int64)?

    /// Nanoseconds between two frames without known times.
    private static let interval: Int64 = 33_333_333
    private static let longestGap: Int64 = 10_000_000_000

    /// The file is read from its beginning again. A file of one frame repeats it at a limited rate.
    mutating func restart() { begin = nil }

    /// The instant of the next frame (CLOCK_MONOTONIC, as `now`). `time`: the frame's in its file, if known.
    mutating func instant(of time: Int64?, now: Int64) -> Int64 {
        let time = time ?? (last.map { $0.time + Self.interval } ?? 0)
        var due = max(now, last.map { $0.instant + Self.interval } ?? now)
        // After a jump of the times, or a sleep of the machine, the pace restarts with this frame.
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
