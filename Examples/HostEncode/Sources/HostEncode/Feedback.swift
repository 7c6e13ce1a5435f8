// Keeps the newest words of the publisher: the encoder follows them, and the report shows them.
import KinePublish
import KineRTMP
import Synchronization

/// Written on the publisher's thread, read on the receiver's.
final class Feedback: Sendable {
    struct State {
        var needsKeyframe = false
        /// Nil: as the options say.
        var target: BitrateController.Target?
        /// Nil: nothing was sent yet.
        var status: RTMPStatus?
    }

    private let state = Mutex(State())
    private let failed: @Sendable (String) -> Void

    /// `failed` is called when the publisher gives up for good.
    init(failed: @escaping @Sendable (String) -> Void) { self.failed = failed }

    var status: RTMPStatus? { state.withLock { $0.status } }

    func requestKeyframe() { state.withLock { $0.needsKeyframe = true } }

    /// The wish for a keyframe is given once.
    func next() -> State {
        state.withLock { state in
            defer { state.needsKeyframe = false }
            return state
        }
    }

    func handle(_ event: RTMPEvent) {
        switch event {
        case .status(let status):
            let before = state.withLock { state in
                defer { state.status = status }
                return state.status?.state
            }
            if status.state != before { say(status.state.rawValue) }
        case .interrupted(let failure, let delay): say("interrupted: \(failure); the next attempt in \(delay) s")
        case .target(let target): state.withLock { $0.target = target }
        case .keyframeNeeded: requestKeyframe()
        case .failed(let failure): failed("\(failure)")
        }
    }
}
