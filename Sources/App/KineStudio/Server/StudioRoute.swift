// The paths that the server answers. Page/openapi.json describes those below /api/; a test holds the two together.
import KinePlatform

/// A request to a running take. The raw value is the last part of its path.
enum TakeControl: String, CaseIterable, Sendable {
    case pause, resume, stop, clip, mark, microphone, audio, camera, permission
}

/// A change of a running take that `kinecast` makes. The raw value is the last part of its path.
enum TakeCommand: String, CaseIterable, Sendable {
    /// Shows another source.
    case source
    /// Adds a destination.
    case destinations
}

/// A request about a service. The raw value is the last part of its path.
enum ServiceOperation: String, CaseIterable, Sendable {
    case icon, check, setup, test, forget
}

/// A request about recordings. The raw value is the last part of the path of those about one recording.
enum LibraryOperation: String, Sendable {
    case list, poster, strip, waveform
    case step, open, frame, rename, delete, recover, save, trim, share
    case undo, media, activities, cancel, dialog

    fileprivate static let views: [LibraryOperation] = [.poster, .strip, .waveform]
    /// A request to an app about its own recording.
    fileprivate static let tasks: [LibraryOperation] = [.save, .trim, .share]
    fileprivate static let changes: [LibraryOperation] = [
        .step, .open, .frame, .rename, .delete, .recover, .save, .trim, .share,
    ]
}

struct StudioRoute: Sendable {
    enum Access: Sendable {
        /// The HTML document. It contains no data; links of other sites may open it.
        case document
        /// A file of the page, or the exchange of a link's token: for the page, without a session.
        case page
        /// For pages and programs with a session.
        case session
        /// For a video element, which sends the session's cookie and no key: its address has a token.
        case media
    }

    enum Operation: Sendable, Equatable {
        case document, file, openSession, description, events
        case takes, sources, record, choice, survey, still, picture, samples, statistics, removeDestination,
            destinations
        case profiles, keepProfile, removeProfile, cancelStart
        case sheetEvents, checkSheet, answerSheet, cancelSheet, services
        case control(TakeControl)
        case command(TakeCommand)
        case service(ServiceOperation)
        case library(LibraryOperation)
        case sheetTask(LibraryOperation)
    }

    /// `parameters`: the parts of the path for the names in braces, decoded.
    struct Match: Sendable {
        let route: StudioRoute
        let parameters: [String: String]
    }

    let method: String
    /// Segments; a name in braces stands for any segment.
    let path: String
    let access: Access
    let operation: Operation

    /// HEAD is answered as GET, without the body.
    func accepts(_ method: String) -> Bool { self.method == method || self.method == "GET" && method == "HEAD" }

    static let all =
        [
            StudioRoute(method: "GET", path: "/", access: .document, operation: .document),
            StudioRoute(method: "GET", path: "/{file}", access: .page, operation: .file),
            StudioRoute(method: "POST", path: "/api/session", access: .page, operation: .openSession),
            StudioRoute(method: "GET", path: "/api/openapi.json", access: .session, operation: .description),
            StudioRoute(method: "GET", path: "/api/events", access: .session, operation: .events),
            StudioRoute(method: "GET", path: "/api/sources", access: .session, operation: .sources),
            StudioRoute(method: "GET", path: "/api/destinations", access: .session, operation: .destinations),
            StudioRoute(method: "GET", path: "/api/choice", access: .session, operation: .choice),
            StudioRoute(method: "GET", path: "/api/profiles", access: .session, operation: .profiles),
            StudioRoute(method: "POST", path: "/api/profiles", access: .session, operation: .keepProfile),
            StudioRoute(
                method: "POST", path: "/api/profiles/{profile}/remove", access: .session, operation: .removeProfile),
            StudioRoute(method: "POST", path: "/api/survey", access: .session, operation: .survey),
            StudioRoute(method: "POST", path: "/api/stills", access: .session, operation: .still),
            StudioRoute(method: "GET", path: "/api/pictures/{picture}", access: .session, operation: .picture),
            StudioRoute(method: "GET", path: "/api/takes", access: .session, operation: .takes),
            StudioRoute(method: "POST", path: "/api/takes", access: .session, operation: .record),
            StudioRoute(method: "POST", path: "/api/statistics", access: .session, operation: .statistics),
            StudioRoute(
                method: "POST", path: "/api/takes/{take}/destinations/{number}/remove", access: .session,
                operation: .removeDestination),
            StudioRoute(method: "GET", path: "/api/takes/{take}/samples", access: .session, operation: .samples),
            StudioRoute(method: "POST", path: "/api/takes/cancel", access: .session, operation: .cancelStart),
            StudioRoute(
                method: "GET", path: "/api/sheets/{sheet}/events", access: .session, operation: .sheetEvents),
            StudioRoute(method: "POST", path: "/api/sheets/{sheet}/check", access: .session, operation: .checkSheet),
            StudioRoute(method: "POST", path: "/api/sheets/{sheet}/answer", access: .session, operation: .answerSheet),
            StudioRoute(method: "POST", path: "/api/sheets/{sheet}/cancel", access: .session, operation: .cancelSheet),
            StudioRoute(method: "GET", path: "/api/services", access: .session, operation: .services),
        ]
        + ServiceOperation.allCases.map { operation in
            StudioRoute(
                method: operation == .icon ? "GET" : "POST", path: "/api/services/{service}/\(operation.rawValue)",
                access: .session, operation: .service(operation))
        }
        + TakeControl.allCases.map { control in
            StudioRoute(
                method: "POST", path: "/api/takes/{take}/\(control.rawValue)", access: .session,
                operation: .control(control))
        }
        + TakeCommand.allCases.map { command in
            StudioRoute(
                method: "POST", path: "/api/takes/{take}/\(command.rawValue)", access: .session,
                operation: .command(command))
        }
        + [
            library("GET", "recordings", .list), library("POST", "recordings/undo", .undo),
            library("GET", "activities", .activities), library("GET", "dialog", .dialog),
            library("POST", "jobs/{job}/cancel", .cancel),
            StudioRoute(method: "GET", path: "/api/media/{media}", access: .media, operation: .library(.media)),
        ]
        + LibraryOperation.tasks.map { operation in
            StudioRoute(
                method: "POST", path: "/api/sheets/{sheet}/\(operation.rawValue)", access: .session,
                operation: .sheetTask(operation))
        }
        + LibraryOperation.views.map { library("GET", "recordings/{recording}/\($0.rawValue)", $0) }
        + LibraryOperation.changes.map { library("POST", "recordings/{recording}/\($0.rawValue)", $0) }

    private static func library(_ method: String, _ path: String, _ operation: LibraryOperation) -> StudioRoute {
        StudioRoute(method: method, path: "/api/\(path)", access: .session, operation: .library(operation))
    }

    /// All routes of a path; they differ in their methods.
    static func matches(_ path: Substring) -> [Match] {
        all.compactMap { route in route.parameters(in: path).map { Match(route: route, parameters: $0) } }
    }

    private func parameters(in path: Substring) -> [String: String]? {
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
