// What an engine and its process `kinecast-engine --screen-cast` tell each other. Both are of one installation.
import KineDesktop
import KineRelay

/// The engine's only message: the screen cast that it wants.
package struct ScreenCastOrder: Codable, Sendable, Equatable, ControlMessage {
    package var request: ScreenCastRequest
    /// The app's identifier, for which the person's permission is kept.
    package var application: String
    /// The person is asked although they have permitted it before.
    package var asksAnew: Bool

    /// - Parameter application: `AppIdentity.identifier`; "kinecast" for the command line.
    package init(_ request: ScreenCastRequest, application: String, asksAnew: Bool = false) {
        self.request = request
        self.application = application
        self.asksAnew = asksAnew
    }
}

/// The process's messages.
enum ScreenCastReport: Codable, Sendable, Equatable, ControlMessage {
    /// Comes with one descriptor, PipeWire's. `storeProblem`: a sentence that says why the person will be asked again next time.
    case opened(ScreenCastStream, storeProblem: String?)
    /// The last message.
    case ended(ScreenCastSession.Error)
}
