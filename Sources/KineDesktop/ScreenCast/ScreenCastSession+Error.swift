// The reasons why a screen cast ends. They travel between processes; KineEngine makes the sentences.

extension ScreenCastSession {
    /// What the portal was asked for.
    public enum Step: String, Codable, Sendable, CaseIterable {
        case readProperties
        case findPortal
        case createSession
        case selectSources
        case start
        case openRemote
    }

    public enum Error: Swift.Error, Codable, Sendable, Equatable {
        /// libsystemd is not installed.
        case noLibrary
        /// The environment names no bus, or nobody listens there.
        case noBus
        /// The bus has gone away.
        case busLost
        /// There is no portal on the bus that casts the screen, and the bus cannot start one.
        case noPortal
        /// The portal has gone away, or does not answer.
        case portalLost
        /// The portal casts no sources of that kind.
        case notOffered(ScreenCastRequest.Target)
        /// The person said no.
        case declined
        /// The portal has ended the request for another reason, which it does not tell.
        case interrupted(Step)
        /// The portal answered with an error; its name, and its words, fit to be shown.
        case refused(Step, name: String, message: String)
        /// The portal's answer is none; the reason, for the end of a sentence.
        case malformed(Step, String)
        /// The portal has closed the session, as it does when the person ends it in the desktop.
        case closed
    }
}
