// The problems that operations share, as openapi.json describes them, against the server.
import HTTPTypes
import KinePlatform
import Testing

@testable import KineStudio

@Suite struct StudioProblemTests {
    /// The one thing that is wrong with a request, or with the server.
    private enum Fault: CaseIterable {
        case starting, crowded, wrongHost, otherSite, wrongMethod, malformedPath, noSession, notJSON, tooLong, noObject

        func isPossible(for route: StudioRoute) -> Bool {
            switch self {
            case .starting, .wrongHost, .otherSite, .wrongMethod: true
            case .crowded, .noSession: route.access.needsSession
            case .malformedPath: route.path.contains("{")
            case .notJSON, .tooLong, .noObject: route.method == "POST"
            }
        }
    }

    private let inbox = Mailbox<StudioLoop.Message>()
    private let starting: Studio

    init() { starting = Studio(inbox, choices: KeptChoice(in: nil)) }

    @Test func `each operation is refused with the statuses that openapi_json shares, and with no others`()
        async throws
    {
        let description = try StudioDescription.served.get()
        let client = try await StudioClient(Studio(inbox, choices: KeptChoice(in: nil)), .person)
        for route in StudioRoute.all where route.path.hasPrefix("/api/") {
            var statuses: Set<String> = []
            for fault in Fault.allCases where fault.isPossible(for: route) {
                let answer = try await refusal(of: route, fault, client)
                let problem = StudioJSON.decode([String: String].self, answer.body)
                #expect(problem?["message"] != nil, "\(route.method) \(route.path) \(fault)")
                statuses.insert("\(answer.status.code)")
            }
            #expect(statuses == description.shared(by: route), "\(route.method) \(route.path)")
        }
    }

    private func refusal(
        of route: StudioRoute, _ fault: Fault, _ client: StudioClient
    ) async throws -> StudioAnswer {
        // No path has a byte that is not UTF-8.
        let path = route.path.replacing(#/\{\w+\}/#, with: fault == .malformedPath ? "%ff" : "x")
        var request = client.sessionRequest(fault == .wrongMethod ? "PUT" : route.method, path)
        switch fault {
        case .wrongHost: request.host = "evil.example"
        case .otherSite: request.site = "cross-site"
        case .noSession: (request.cookies, request.key) = (nil, nil)
        case .notJSON: request.contentType = "text/plain"
        case .starting, .crowded, .wrongMethod, .malformedPath, .tooLong, .noObject: break
        }
        let studio = fault == .starting ? starting : client.studio
        let response = await studio.respond(to: request, showedToken: { fault != .crowded }) {
            if fault == .tooLong { throw StudioProblem.tooLong }
            return Array((fault == .noObject ? "[]" : "{}").utf8)
        }
        guard case .answer(let answer) = response else { throw CancellationError() }
        return answer
    }
}
