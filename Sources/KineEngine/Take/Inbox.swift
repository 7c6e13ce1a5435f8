// What the threads of a take tell the main loop: a queue and a descriptor that poll can wait for.
import KinePlatform
import KineRelay
import Synchronization

/// Messages from any thread to the thread that waits on `descriptor`.
public final class Inbox: Sendable {
    public enum Message: Sendable {
        case event(TakeStateMachine.Event)
        /// One sentence for the person at the client.
        case warning(String)
        /// The picture has to be encoded again although it stands still, at that instant of CLOCK_MONOTONIC.
        case needsPicture(at: Int64)
        /// A destination's feed is ready, or cannot be had.
        case feed(FeedDelivery)
        /// The take is open, or could not be opened.
        case opened
        /// The take's last sample has been given to every sink.
        case samplesEnded
        /// The recording is finished, or was given up.
        case recordingEnded
        /// The take could not begin, or cannot go on; one sentence and the exit status that fits.
        case failure(exitStatus: Int32, message: String)

        /// Whether it means nothing without the take.
        var isAboutTake: Bool {
            switch self {
            case .opened, .warning: false
            case .event, .needsPicture, .feed, .samplesEnded, .recordingEnded, .failure: true
            }
        }
    }

    private let messages = Mutex<[Message]>([])
    private let wake = WakeSignal()

    public init() {}

    public var descriptor: Int32 { wake.descriptor }

    public func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        wake.signal()
    }

    /// Everything posted so far, in order.
    public func takeAll() -> [Message] {
        wake.clear()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
