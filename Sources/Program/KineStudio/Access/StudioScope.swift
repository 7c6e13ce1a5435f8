// What the windows of a link may do: no more than they show. Pure.

enum StudioScope: Hashable, Sendable {
    /// Everything: the link is in the file that `kinecast studio` hands to the browser that it starts.
    case person
    /// All but answers to apps' questions: the link was printed, so any program of the user may have it.
    case studio
    /// A recording, by its ID, and what is made of it.
    case recording(String)
    /// An app's window, by its ID, and the recording that it shows.
    case sheet(String)

    /// Requests of windows of recordings and apps that name neither. Each answers by the scope.
    private static let common: Set = [
        "/api/events", "/api/recordings", "/api/recordings/undo", "/api/activities", "/api/dialog",
        "/api/jobs/{job}/cancel", "/api/services/{service}/icon",
    ]
    private static let readers: Set = ["poster", "waveform", "strip", "frame", "step", "open"]

    /// - Parameter shows: whether the windows have the recording of that ID.
    func permits(_ match: StudioRoute.Match, shows: (String) -> Bool) -> Bool {
        let path = match.route.path
        switch self {
        case .person: return true
        case .studio: return path != "/api/takes/{take}/permission"
        case .recording, .sheet: break
        }
        if Self.common.contains(path) { return true }
        if let recording = match.parameters["recording"] {
            if case .sheet = self, !Self.readers.contains(path.split(separator: "/").last.map(String.init) ?? "") {
                return false
            }
            return shows(recording)
        }
        return match.parameters["sheet"].map { self == .sheet($0) } ?? false
    }

    /// Whether the windows get an event of that type. `subject`: the ID of the recording that the event is about.
    func receives(_ type: String, of subject: String?, shows: (String) -> Bool) -> Bool {
        switch self {
        case .person: true
        case .studio: type != "questions"
        case .recording, .sheet: type == "recordings" || type == "job" && subject.map(shows) == true
        }
    }
}
