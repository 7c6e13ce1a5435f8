// The queue from a take's threads to the main loop, with a descriptor that poll can wait for.
import KineDesktop
import KinePlatform
import KineSupervision
import KineTake
import Synchronization

/// Messages from any thread to the thread that waits on `descriptor`.
final class Inbox: Sendable {
    enum Message: Sendable {
        case take(TakeEvent)
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
        /// The take's last sample has been given to every sink.
        case samplesEnded
        case recordingEnded(Take.Ending)
    }

    private let messages = Mailbox<Message>()

    var descriptor: Int32 { messages.descriptor }

    func post(_ message: Message) { messages.post(message) }
    func warn(_ text: String) { post(.take(.warning(text))) }

    /// Everything posted so far, in order.
    func drain() -> [Message] { messages.drain() }
}

extension Inbox: TakeObserver {
    func observe(_ event: TakeEvent) { post(.take(event)) }
}
