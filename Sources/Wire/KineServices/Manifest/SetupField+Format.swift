// Judges the parts of a text that has a format, for a sentence of its own while a person types it. The publisher's own parser,
// RTMPURL, has the last word.
import KineText

extension ServiceManifest.SetupField.TextFormat {
    /// Nil if the text has the format.
    func problem(with text: String) -> ServiceManifest.SetupField.ValueProblem? {
        if text.contains(where: \.isWhitespace) { return .blank }
        switch self {
        case .server: return Self.problem(withServer: text)
        case .key: return text.contains("://") ? .address : nil
        case .page: return PublicURL(text) == nil ? .page : nil
        }
    }

    private static func problem(withServer text: String) -> ServiceManifest.SetupField.ValueProblem? {
        let scheme = text.prefix { $0 != ":" }
        let rest = text[scheme.endIndex...]
        guard ["rtmp", "rtmps"].contains(scheme.lowercased()), rest.hasPrefix("://") else { return .scheme }
        let place = rest.dropFirst(3)
        let authority = place.prefix { $0 != "/" && $0 != "?" }
        // A password may hold another @.
        let host = authority.lastIndex(of: "@").map { authority[$0...].dropFirst() } ?? authority
        // Host and port have the grammar of an address to listen at, where both may be left out.
        guard let first = host.first, first != ":", ListenAddress(String(host)) != nil else { return .host }
        let path = place[authority.endIndex...]
        guard path.first == "/", let application = path.dropFirst().first, application != "?", application != "/" else {
            return .application
        }
        return nil
    }
}
