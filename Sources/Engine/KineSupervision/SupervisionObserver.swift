// What supervisors tell and ask of the engine that has them.
import KineTake
import KineWire

/// A feed on its way to the main thread, or the reason why there is none.
package struct FeedDelivery: Sendable {
    package let destination: Int
    let run: Int
    let result: Result<SampleFeed, TakeError>
}

/// An extension's process as one that asks for something on the desktop.
package struct DesktopClient {
    package let destination: Int
    /// The service's name.
    package let service: String
    /// Left out of what a person sees.
    package let secrets: [String]
    package let groups: [String]
    /// Answers to an earlier process are left out.
    package let answer: (DesktopAnswer) -> Void
}

/// What becomes of destinations. On the main thread.
package protocol SupervisionObserver: AnyObject {
    func announce(_ event: DestinationEvent)
    /// The extension has started: the receivers of its frames can be connected.
    func extensionRuns(_ supervisor: ExtensionSupervisor)
    func perform(_ request: DesktopRequest, for client: DesktopClient, at now: Int64)
}
