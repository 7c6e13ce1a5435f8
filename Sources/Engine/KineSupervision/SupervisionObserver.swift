// Supervisors tell their engine what happens, and ask it for what only it can do.
import KineTake
import KineWire

/// A feed on its way to the main thread, or the reason why there is none.
package struct FeedDelivery: Sendable {
    package let destination: Int
    let run: Int
    let result: Result<SampleFeed, TakeError>
}

/// An extension that asks for something on the desktop.
package struct DesktopClient {
    package let destination: Int
    /// The service's name.
    package let service: String
    /// Texts that a person must not see.
    package let secrets: [String]
    package let groups: [String]
    /// Answers to an earlier process are left out.
    package let answer: (DesktopAnswer) -> Void
}

/// Learns what happens to destinations. All calls come on the main thread.
package protocol SupervisionObserver: AnyObject {
    func announce(_ event: DestinationEvent)
    /// The extension has started: the receivers of its frames can be connected.
    func extensionRuns(_ supervisor: ExtensionSupervisor)
    func perform(_ request: DesktopRequest, for client: DesktopClient, at now: Int64)
}
