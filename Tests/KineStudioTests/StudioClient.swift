// A page's requests to a studio, without a socket.
import FoundationEssentials
import HTTPTypes
import Testing

@testable import KineStudio

/// A window with a session.
struct StudioClient {
    let studio: Studio
    private let cookie: String
    private let key: String

    /// Opens the studio at port 8000, and a session.
    init(_ studio: Studio, _ scope: StudioScope = .studio) async throws {
        self.studio = studio
        studio.open(port: 8000, publicURL: nil)
        let token = #"{"token":"\#(studio.makeLink(to: scope))"}"#
        let opened = try await studio.answer(Self.request("POST", "/api/session"), token)
        key = try JSONDecoder().decode([String: String].self, from: Data(opened.body))["key"] ?? ""
        cookie = opened.fields.first { $0.0 == .setCookie }.map { String($0.1.prefix { $0 != ";" }) } ?? ""
    }

    func get(_ path: String) async throws -> StudioAnswer { try await studio.answer(sessionRequest("GET", path)) }

    func post(_ path: String, _ body: String = "{}") async throws -> StudioAnswer {
        try await studio.answer(sessionRequest("POST", path), body)
    }

    /// A request with the session's cookie and key.
    func sessionRequest(_ method: String, _ target: String) -> StudioRequest {
        var request = Self.request(method, target)
        (request.cookies, request.key) = (cookie, key)
        return request
    }

    static func request(_ method: String, _ target: String, host: String = "127.0.0.1:8000") -> StudioRequest {
        StudioRequest(method: method, target: target, host: host, contentType: "application/json")
    }
}

extension Studio {
    /// Throws if the response is not an answer with all its bytes. Expects a status that openapi.json describes.
    func answer(_ request: StudioRequest, _ body: String = "{}") async throws -> StudioAnswer {
        guard case .answer(let answer) = await respond(to: request, body: { Array(body.utf8) }) else {
            throw CancellationError()
        }
        let match = StudioRoute.matches(request.path).first { $0.route.accepts(request.method) }
        if let route = match?.route, route.path.hasPrefix("/api/") {
            let described = try StudioDescription.served.get().statuses(of: route)
            #expect(described.contains("\(answer.status.code)"), "\(route.method) \(route.path)")
        }
        return answer
    }
}

extension StudioAnswer {
    var text: String { String(decoding: body, as: UTF8.self) }
}
