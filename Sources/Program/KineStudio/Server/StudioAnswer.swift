// The answers to requests: their status, the sentences of refusals, and the headers that protect the page.
import HTTPTypes
import KineMedia
import KinePublish

/// An answer with all its bytes.
struct StudioAnswer: Sendable {
    var status = HTTPResponse.Status.ok
    /// The media type of the body.
    var type = "application/json"
    var body: [UInt8] = []
    var fields: [(HTTPField.Name, String)] = []

    init(status: HTTPResponse.Status = .ok, type: String = "application/json", body: [UInt8]) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    init(_ value: some Encodable) { self.init(body: StudioJSON.encode(value)) }

    /// One sentence for a person, as `{"message": …}`, and its code with the values that it names.
    init(_ status: HTTPResponse.Status, message: String, _ code: ProblemCode? = nil) {
        struct Problem: Encodable {
            let message: String
            let code: String?
            let values: [String: String]?
        }
        let problem = Problem(message: message, code: code?.name, values: code?.givenValues)
        self.init(status: status, body: StudioJSON.encode(problem))
    }

    init(_ refusal: StudioGate.Refusal) {
        switch refusal {
        case .wrongHost(let name):
            self.init(
                .misdirectedRequest,
                message: "The studio is not at \(name ?? "that address"); open the link of kinecast studio, or give "
                    + "that address with --public-url.")
        case .otherPort(let host, let own):
            let page = Array(Self.forwarded(host, own).utf8)
            self.init(status: .misdirectedRequest, type: "text/html; charset=utf-8", body: page)
        case .noSlash(let path):
            self.init(.permanentRedirect, message: "The studio is at \(path).")
            fields.append((.location, path))
        case .otherSite:
            self.init(.forbidden, message: "Another site's page sent this; open the link of kinecast studio.")
        case .outOfScope:
            self.init(.forbidden, message: "This window's link is not for that; open another one with kinecast studio.")
        case .notFound:
            self.init(.notFound, message: "There is nothing at this address; open the link of kinecast studio.")
        case .wrongMethod(let methods):
            self.init(.methodNotAllowed, message: "This address takes only \(methods.joined(separator: " and ")).")
            fields.append((.allow, methods.joined(separator: ", ")))
        case .notJSON: self.init(.unsupportedMediaType, message: "Send JSON, with Content-Type: application/json.")
        case .noSession:
            self.init(
                .unauthorized, message: "This window is not connected any more; open it again with kinecast studio.")
        }
    }

    /// For a person at a forwarded port. The host is presentable, and so needs no escaping.
    private static func forwarded(_ host: String, _ port: Int) -> String {
        """
        <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark"><title>Kinecast</title>
        <p>Kinecast does not answer at \(host), since its own port is \(port).
        <p>Forward that port under the same number, as with <code>ssh -L \(port):127.0.0.1:\(port)</code>, and open the link with
        it; or say where your browser is: <code>kinecast studio --quit</code>, then
        <code>kinecast studio --no-browser --port \(port) --public-url http://\(host)/</code>.

        """
    }

    init(_ problem: StudioProblem) { self.init(problem.status, message: problem.message, problem.code) }

    /// The headers of every answer. The page loads only files of this server, cannot be shown inside another page,
    /// sends its address to no other site, and is not stored.
    static let protections: [(HTTPField.Name, String)] = {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
            "connect-src 'self'", "media-src 'self' blob:", "worker-src 'self'", "base-uri 'none'",
            "form-action 'none'", "frame-ancestors 'none'",
        ]
        let pairs = [
            ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"),
        ]
        return pairs.compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }
    }()
}

/// The response to a request: an answer, or a stream.
enum StudioResponse: Sendable {
    case answer(StudioAnswer)
    /// Events until the page is closed.
    case events(EventHub.Connection)
    /// The picture of a take until the page is closed.
    case samples(LiveStream)
    /// The bytes of a recording, all or a part.
    case media(MediaFile, MediaRange)

    /// `{}`: the request was carried out.
    static let done = StudioResponse.answer(StudioAnswer(body: Array("{}".utf8)))
    /// An event says how it ends.
    static let accepted = StudioResponse.answer(StudioAnswer(status: .accepted, body: Array("{}".utf8)))
    /// Without content, where a browser would report an error for 404.
    static let nothing = StudioResponse.answer(StudioAnswer(status: .noContent, body: []))

    static func json(_ value: some Encodable) -> StudioResponse { .answer(StudioAnswer(value)) }

    static func image(_ type: String, _ bytes: [UInt8]) -> StudioResponse {
        .answer(StudioAnswer(type: "image/\(type)", body: bytes))
    }

    /// Events report on the job.
    static func job(_ id: String) -> StudioResponse {
        .answer(StudioAnswer(status: .accepted, body: StudioJSON.encode(["job": id])))
    }
}
