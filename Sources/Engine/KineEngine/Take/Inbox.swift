// The queue from a take's threads to the main loop, with a descriptor that poll can wait for.
import KineCapture
import KineDesktop
import KinePlatform
import Synchronization

/// Messages from any thread to the thread that waits on `descriptor`.
final class Inbox: Sendable {
    enum Message: Sendable {
        case event(TakeStateMachine.Event)
        /// One sentence for the person at the client.
        case warning(String)
        /// The frame has to be encoded again although it stands still, at that instant of CLOCK_MONOTONIC.
        case needsFrame(at: Int64)
        /// A destination's feed is ready, or cannot be made.
        case feed(FeedDelivery)
        /// A client's feed, likewise.
        case clientFeed(ClientFeeds.Delivery)
        /// A clip that a client asked for was written, or could not be.
        case clip(ClipExports.Delivery)
        case opened(Result<OpenedTake, TakeError>)
        /// What was read or written of the person's decisions.
        case permission(PermissionStateMachine.Event)
        /// Something happened on the person's desktop.
        case desktop(Desktop.Event)
        /// Something that was asked of the desktop has come about.
        case desktopService(DesktopServices.Completion)
        /// Another source is shown, or the reason why not.
        case sourceSwitched(TakeError?)
        /// The excluded windows that the source found; nil where it excludes none.
        case exclusions(ExclusionFindings?)
        /// The take's last sample has been given to every sink.
        case samplesEnded
        /// Nothing more can be written to the file.
        case recordingFailed(TakeError)
        case recordingEnded(Take.Ending)
        /// The take could not begin, or cannot go on.
        case failure(TakeError)
    }

    private let messages = Mutex<[Message]>([])
    private let wake = WakeSignal()

    var descriptor: Int32 { wake.descriptor }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        wake.signal()
    }

    /// Everything posted so far, in order.
    func drain() -> [Message] {
        wake.clear()
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
