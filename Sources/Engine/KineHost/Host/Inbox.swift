// The queue from a take's threads to the main loop, with a descriptor that poll can wait for.
import Glibc
import KineDesktop
import KinePlatform
import KineSupervision
import KineTake

final class Inbox: PollSource, Sendable {
    enum Message: Sendable {
        case take(TakeEvent)
        /// A destination's feed is ready, or cannot be made.
        case feed(FeedDelivery)
        /// A client's feed is ready, or cannot be made.
        case clientFeed(ClientFeeds.Delivery)
        /// A client's clip was written, or could not be.
        case clip(ClipExports.Delivery)
        case opened(Result<OpenedTake, TakeError>)
        /// The result of reading or writing the person's decisions.
        case permission(PermissionStateMachine.Event)
        case desktop(Desktop.Event)
        /// The result of a request to the desktop.
        case desktopService(DesktopServices.Completion)
        /// Every sink has received the take's last sample.
        case samplesEnded
        case recordingEnded(Take.Ending)
    }

    private let messages = Mailbox<Message>()

    var pollEntries: [pollfd] { messages.pollEntries }

    func post(_ message: Message) { messages.post(message) }
    func warn(_ text: String) { post(.take(.warning(text))) }

    /// All messages so far, in order.
    func drain() -> [Message] { messages.drain() }
}

extension Inbox: TakeObserver {
    func observe(_ event: TakeEvent) { post(.take(event)) }
}
