// Records audio: keeps the right streams of the audio server open while devices, applications and the server itself
// come and go. One thread does everything and calls the receiver.
import KinePlatform
import SystemPackage

/// The number of a stream; unique in a take.
public struct AudioStreamID: Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Receives audio. All calls come on the capture's thread, one at a time.
public protocol AudioReceiver: AnyObject, Sendable {
    /// A stream begins, for the target with the index `target`; mix streams with the same target. `sampleRate` is its
    /// device's.
    func audioOpened(_ stream: AudioStreamID, target: Int, sampleRate: Int)
    /// Interleaved samples, full scale ±1, borrowed for the call. They begin after the first `audioTimed`.
    func audio(_ stream: AudioStreamID, samples: Span<Float>)
    /// The server lost this many frames.
    func audioMissing(_ stream: AudioStreamID, frames: Int)
    /// The instant at which the next delivered frame was audible.
    func audioTimed(_ stream: AudioStreamID, reading: AudioClockReading)
    /// The stream ends; no call for it follows.
    func audioClosed(_ stream: AudioStreamID)
    /// A series of the calls above is over, or none came for the pace's `quietInterval`.
    func audioSettled(now: Int64)
    func audioWarning(_ warning: AudioWarning)
}

/// Feeds an `AudioReceiver` from a separate thread.
public protocol AudioFeed: Sendable {
    /// Delivers the remaining audio in small pieces, without waiting for full ones.
    func hurry()
    /// Changes the size of the delivered pieces.
    func change(pace: AudioPace)
    /// Starts or stops to record a target. Closes the devices of a stopped one.
    func set(target: Int, isOn: Bool)
    /// Ends the thread; the receiver gets no calls afterwards. Do not call it from the receiver.
    func stop()
}

/// How often audio is fetched. Each time wakes a sleeping machine.
public enum AudioPace: Sendable {
    /// Seldom: a file does not need it sooner.
    case file
    /// Ten times a second, for a meter.
    case meter
    /// As often as useful, for a live destination.
    case live

    /// Seconds of audio per fetch.
    public var interval: Double {
        switch self {
        case .file: 0.4
        case .meter: 0.1
        case .live: 0.01
        }
    }
    /// Seconds of audio in one of the server's pieces. The output is then rendered in blocks of that length, and a
    /// sound that begins during a block comes after it. A private PulseAudio has no hardware that would wake for each
    /// piece. PipeWire loses audio on a busy machine with short pieces.
    func fragment(onPrivatePulseAudio: Bool) -> Double { self != .live && !onPrivatePulseAudio ? 0.02 : 0.01 }
    /// The longest time between two calls of `audioSettled`, in nanoseconds.
    public var quietInterval: Int64 {
        switch self {
        case .file: 480_000_000
        case .meter: 200_000_000
        case .live: 20_000_000
        }
    }
}

public final class AudioCapture: AudioFeed {
    public enum Error: Swift.Error, Equatable {
        case noServer(AudioServerFault)
        /// A required target is missing at the start.
        case missing(MissingAudio)
        case noThread(Errno)
    }

    private let session: AudioSession.Handle
    private let thread: DedicatedThread

    /// Connects, and opens the available streams. Blocks until the server has listed them, at most five seconds.
    ///
    /// Named microphones and outputs must exist at the start, unless they are `off`; the default output and
    /// applications may come later. `server` as in PULSE_SERVER; nil: by the environment. `cancellation` ends the wait,
    /// with the error that no server answers.
    ///
    /// - Parameters:
    ///   - off: indices of the targets that are recorded only after `set(target:isOn:)`.
    ///   - isPrivate: the server belongs to the take: muted outputs are not reported, monitors are no microphones.
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

    /// The names of the server's outputs, as far as they are known.
    public var outputs: [String] { session.outputs }

    /// Records another output, microphone or application instead of a target.
    public func change(target: Int, to other: AudioTarget) { session.perform { $0.change(target: target, to: other) } }

    /// How often the thread has woken from sleep.
    var wakeups: Int { session.wakeups }

    public func stop() {
        if session.stop() { thread.join() }
    }

    deinit { stop() }
}
