// A path that the server answers. Each folder has a table of its own, beside what answers. Page/openapi.json describes
// those below /api/; a test holds the two together.
import KineText

struct StudioRoute: Sendable {
    enum Access: Sendable {
        /// The HTML document. It contains no data; links of other sites may open it.
        case document
        /// A file of the page, or the exchange of a link's token: for the page, without a session.
        case page
        /// For pages and programs with a session.
        case session
        /// As `session`, for an EventSource, which sends no header: the key may be in the query.
        case events
        /// For a video element, which sends the session's cookie and no key: its address has a token.
        case media

        var needsSession: Bool { self != .document && self != .page }
    }

    /// Throws `StudioGate.Refusal`, or what `StudioProblem` has a status for.
    typealias Handler = @Sendable (Studio, StudioCall) async throws -> StudioResponse

    struct Match: Sendable {
        let route: StudioRoute
        let parameters: [String: String]
        /// The scope of the request's session; nil: the route needs no session.
        var scope: StudioScope?
    }

    let method: String
    /// Segments; a name in braces stands for any segment.
    let path: String
    let access: Access
    let respond: Handler

    static func get(_ path: String, _ access: Access = .session, _ respond: @escaping Handler) -> StudioRoute {
        StudioRoute(method: "GET", path: "/\(path)", access: access, respond: respond)
    }

    static func post(_ path: String, _ access: Access = .session, _ respond: @escaping Handler) -> StudioRoute {
        StudioRoute(method: "POST", path: "/\(path)", access: access, respond: respond)
    }

    /// HEAD is answered as GET, without the body.
    func accepts(_ method: String) -> Bool { self.method == method || self.method == "GET" && method == "HEAD" }

    /// All routes of a path; they differ in their methods.
    static func matches(_ path: Substring) -> [Match] {
        all.compactMap { route in route.parameters(in: path).map { Match(route: route, parameters: $0) } }
    }

    private func parameters(in path: Substring) -> [String: String]? {
        guard self.path.contains("{") else { return self.path == path ? [:] : nil }
        let wanted = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == given.count else { return nil }
        var parameters: [String: String] = [:]
        for (wanted, given) in zip(wanted, given) {
            if wanted.first == "{", wanted.last == "}" {
                guard let value = Self.decoded(given), !value.isEmpty else { return nil }
                parameters[String(wanted.dropFirst().dropLast())] = value
            } else if wanted != given {
                return nil
            }
        }
        return parameters
    }

    /// A decoded segment; nil if it is not UTF-8, or leads elsewhere.
    private static func decoded(_ segment: Substring) -> String? {
        guard let bytes = segment.percentDecoded, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return [".", ".."].contains(text) || text.contains("/") || text.contains("\0") ? nil : text
    }
}
