// Records audio: keeps the right streams of the audio server open while devices, applications and the server itself come and go.
// One thread does everything; the receiver is called on it.
import KinePlatform
import SystemPackage

/// The number of a stream; never used twice in a take.
public struct AudioStreamID: Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Receives audio. All calls come on the capture's one thread, one at a time.
public protocol AudioReceiver: AnyObject, Sendable {
    /// A stream begins. `target`: the index of the target that it is recorded for; several streams of one target are to be
    /// mixed. `sampleRate`: of its device.
    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int)
    /// Interleaved samples, full scale ±1, borrowed for the call. The first come after the first `audioTimed`.
    func audio(_ stream: AudioStreamID, samples: Span<Float>)
    /// The server lost this many frames.
    func audioMissing(_ stream: AudioStreamID, frames: Int)
    /// When a frame was heard. Its number is that of the next frame to be delivered.
    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading)
    /// The stream ends; nothing more comes of it.
    func audioClosed(_ stream: AudioStreamID)
    /// A run of the calls above is over, or nothing came for the pace's `quietInterval`.
    func audioSettled(now: Int64)
    /// Something a person should know, in one sentence.
    func audioWarning(_ sentence: String)
}

/// How soon audio must arrive after it was heard. Each piece wakes a sleeping machine.
public enum AudioPace: Sendable {
    /// In large pieces: a file does not need it sooner.
    case file
    /// In the smallest pieces that are worth the work: there are listeners.
    case live

    /// Seconds of audio in one piece.
    public var fragment: Double { self == .file ? 0.4 : 0.01 }
    /// The longest time between two calls of `audioSettled`, in nanoseconds.
    public var quietInterval: Int64 { self == .file ? 480_000_000 : 20_000_000 }
}

public final class AudioCapture: Sendable {
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// No audio server answers; libpulse's reason.
        case noServer(String)
        /// A target that must be there from the start is not; one sentence.
        case missing(String)
        /// The process may have no more threads.
        case noThread(Errno)

        public var description: String {
            switch self {
            case .noServer(let reason):
                "No audio server answers (\(reason)); start PulseAudio or PipeWire, set PULSE_SERVER, "
                    + "or record with --audio none."
            case .missing(let sentence): sentence
            case .noThread(let failure): DedicatedThread.explanation(of: failure, thread: "sound")
            }
        }
    }

    /// The longest time between two calls of `audioSettled`, in nanoseconds, at the pace of a file.
    public static let quietInterval: Int64 = AudioPace.file.quietInterval

    private let session: AudioSession.Handle
    private let thread: DedicatedThread

    /// Connects and opens what is there; blocks until it is known what, five seconds at most.
    ///
    /// Microphones must be there at the start; outputs and applications may come later. `server` as in PULSE_SERVER;
    /// nil asks the environment. `cancellation` ends the wait, and the error is then that no server answers.
    public init(
        targets: [AudioTarget], channels: Int, server: String? = nil, pace: AudioPace = .file,
        receiver: any AudioReceiver, cancellation: Cancellation? = nil
    ) throws(Error) {
        let handle = AudioSession.Handle()
        session = handle
        let token = cancellation?.onCancel { handle.giveUp() }
        defer { if let token { cancellation?.remove(token) } }
        do throws(Errno) {
            thread = try DedicatedThread(starting: "sound") {
                AudioSession.run(
                    targets: targets, channels: channels, server: server, pace: pace, receiver: receiver,
                    handle: handle)
            }
        } catch {
            throw .noThread(error)
        }
        switch handle.outcome(until: MonotonicClock.now() + 5_000_000_000) {
        case .success: return
        case .failure(let error):
            stop()
            throw error
        }
    }

    /// Runs `job` on the capture's thread, between the receiver's calls. Dropped after `stop`.
    public func perform(_ job: @escaping @Sendable () -> Void) { session.perform { _ in job() } }

    /// Asks for what is still under way in small pieces, without waiting for a full one.
    public func hurry() { session.perform { $0.hurry() } }

    /// Delivers in larger or smaller pieces from now on.
    public func change(pace: AudioPace) { session.perform { $0.change(pace: pace) } }

    /// How often the thread has woken from sleep so far.
    var wakeups: Int { session.wakeups }

    /// Ends all streams and the thread. No call reaches the receiver afterwards. Not from the receiver's calls.
    public func stop() {
        if session.stop() { thread.join() }
    }

    deinit { stop() }
}
