// The interface from the supervisors to their engine.
import KineTake
import KineWire

/// A feed for the main thread, or the reason why there is none.
package struct FeedDelivery: Sendable {
    package let destination: Int
    let run: Int
    let result: Result<SampleFeed, TakeError>
}

/// An extension that sends requests to the desktop.
package struct DesktopClient {
    package let destination: Int
    package let service: String
    /// Texts that must not be shown.
    package let secrets: [String]
    package let groups: [String]
    /// Drops answers to an earlier process.
    package let answer: (DesktopAnswer) -> Void
}

/// Receives the events of destinations. All calls come on the main thread.
package protocol SupervisionObserver: AnyObject {
    func announce(_ event: DestinationEvent)
    /// The extension has started: receivers of its frames can connect.
    func extensionRuns(_ supervisor: ExtensionSupervisor)
    func perform(_ request: DesktopRequest, for client: DesktopClient, at now: Int64)
}
