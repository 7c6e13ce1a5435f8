// What an engine and its process `kinecast-engine --screen-cast` tell each other. Both are of one installation.
import KineDesktop
import KineWire

/// The engine's only message: the screen cast that it wants.
package struct ScreenCastOrder: Codable, Sendable, Equatable, ControlMessage {
    /// A monitor that was asked for by its name. A portal cannot be told one: the person is to choose it.
    package struct Monitor: Codable, Sendable, Equatable {
        package var name: String
        /// Where it lies in the desktop; nil: not known.
        package var position: ScreenCastStream.Position?

        package init(name: String, position: ScreenCastStream.Position?) {
            (self.name, self.position) = (name, position)
        }

        /// Whether a stream shows another one, as far as can be told. A portal that names another kind of source than was asked for
        /// (`ScreenCastStream.target`) has no places of monitors either.
        func isAnother(than stream: ScreenCastStream) -> Bool {
            guard let position, let shown = stream.position, stream.target == .monitor else { return false }
            return position != shown
        }
    }

    package var request: ScreenCastRequest
    /// The app's identifier, for which the person's permission is kept.
    package var application: String
    /// The person is asked although they have permitted it before.
    package var asksAnew: Bool
    /// Nil: any. Permissions are kept for each.
    package var monitor: Monitor?

    /// - Parameter application: `AppIdentity.identifier`; "kinecast" for the command line.
    package init(
        _ request: ScreenCastRequest, application: String, asksAnew: Bool = false, monitor: Monitor? = nil
    ) {
        self.request = request
        self.monitor = monitor
        self.application = application
        self.asksAnew = asksAnew
    }
}

/// The process's messages.
enum ScreenCastReport: Codable, Sendable, Equatable, ControlMessage {
    /// Comes with one descriptor, PipeWire's. `problem`: a sentence that says why the person will be asked again next time.
    case opened(ScreenCastStream, problem: String?)
    /// The last message.
    case ended(ScreenCastSession.Error)
}
