// Records audio: keeps the right streams of the audio server open while devices, applications and the server itself come and
// go. One thread does everything; the receiver is called on it.
import KinePlatform
import SystemPackage

/// The number of a stream; never used twice in a take.
public struct AudioStreamID: Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Receives audio. All calls come on the capture's one thread, one at a time.
public protocol AudioReceiver: AnyObject, Sendable {
    /// A stream begins, for the target with the index `target`; streams of one target are to be mixed. `sampleRate` is its
    /// device's.
    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int)
    /// Interleaved samples, full scale ±1, borrowed for the call. The first come after the first `audioTimed`.
    func audio(_ stream: AudioStreamID, samples: Span<Float>)
    /// The server lost this many frames.
    func audioMissing(_ stream: AudioStreamID, frames: Int)
    /// The instant at which the next frame to be delivered was heard.
    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading)
    /// The stream ends; nothing more comes of it.
    func audioClosed(_ stream: AudioStreamID)
    /// A run of the calls above is over, or nothing came for the pace's `quietInterval`.
    func audioSettled(now: Int64)
    func audioWarning(_ warning: AudioWarning)
}

/// Feeds an `AudioReceiver` from a thread of its own.
public protocol AudioFeed: Sendable {
    /// Delivers the rest in small pieces, without waiting for a full one.
    func hurry()
    /// Delivers in larger or smaller pieces from now on.
    func change(pace: AudioPace)
    /// Records a target from now on, or no more. The devices of one that is off are closed.
    func set(target: Int, isOn: Bool)
    /// Ends the thread. No call reaches the receiver afterwards. Not from the receiver's calls.
    func stop()
}

/// How often audio is fetched. Each time wakes a sleeping machine.
public enum AudioPace: Sendable {
    /// Seldom: a file does not need it sooner.
    case file
    /// As often as is worth the work: there are listeners.
    case live

    /// Seconds of audio that are fetched at once.
    public var interval: Double { self == .file ? 0.4 : 0.01 }
    /// Seconds of audio in one of the server's pieces. An output is then rendered in blocks of that length; a sound that begins during
    /// a block is heard, and recorded, after it. A private PulseAudio has no hardware that would wake for each piece. PipeWire loses
    /// audio on a busy machine where its pieces are short.
    func fragment(onPrivatePulseAudio: Bool) -> Double { self == .file && !onPrivatePulseAudio ? 0.02 : 0.01 }
    /// The longest time between two calls of `audioSettled`, in nanoseconds.
    public var quietInterval: Int64 { self == .file ? 480_000_000 : 20_000_000 }
}

public final class AudioCapture: AudioFeed {
    public enum Error: Swift.Error, Equatable {
        case noServer(AudioServerFault)
        /// A target is missing that must be there from the start.
        case missing(MissingAudio)
        /// The process may have no more threads.
        case noThread(Errno)
    }

    private let session: AudioSession.Handle
    private let thread: DedicatedThread

    /// Connects, and opens the streams that there are. Blocks until the server has listed them, five seconds at most.
    ///
    /// Microphones and outputs that have a name must be there at the start, unless they are `off`; the default output and applications
    /// may come later. `server` as in PULSE_SERVER; nil asks the environment. `cancellation` ends the wait, and the error is then that
    /// no server answers.
    ///
    /// - Parameters:
    ///   - off: indices of the targets that are recorded only from `set(target:isOn:)` on.
    ///   - isPrivate: the server belongs to the take. Muted outputs are not reported, and monitors do not count as microphones.
    public init(
        targets: [AudioTarget], off: Set<Int> = [], channels: Int, server: String? = nil, isPrivate: Bool = false,
        pace: AudioPace = .file, receiver: any AudioReceiver, cancellation: Cancellation? = nil
    ) throws(Error) {
        let handle = AudioSession.Handle()
        session = handle
        let token = cancellation?.onCancel { handle.giveUp() }
        defer { if let token { cancellation?.remove(token) } }
        do throws(Errno) {
            thread = try DedicatedThread(starting: "audio") {
                AudioSession(
                    targets: targets, off: off, channels: channels, server: server, isPrivate: isPrivate,
                    pace: pace, receiver: receiver, handle: handle)?.run()
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

    public func hurry() { session.perform { $0.hurry() } }

    public func change(pace: AudioPace) { session.perform { $0.change(pace: pace) } }

    public func set(target: Int, isOn: Bool) { session.perform { $0.set(target: target, isOn: isOn) } }

    /// The number of times that the thread has woken from sleep.
    var wakeups: Int { session.wakeups }

    public func stop() {
        if session.stop() { thread.join() }
    }

    deinit { stop() }
}
