// openapi.json as tests read it.
import FoundationEssentials

@testable import KineStudio

struct StudioDescription: Decodable {
    struct Operation: Decodable {
        var operationId: String
        /// By status. `default` stands for the statuses in `x-problems`.
        var responses: [String: Part]
        var security: [[String: [String]]]?
    }

    /// A value, or a reference to one.
    struct Part: Decodable {
        private enum CodingKeys: String, CodingKey { case reference = "$ref" }

        var reference: String?
    }

    struct Components: Decodable {
        private enum CodingKeys: String, CodingKey {
            case parameters, requestBodies, responses, schemas
            case problems = "x-problems"
        }

        var parameters: [String: Part]
        var requestBodies: [String: Part]
        var responses: [String: Part]
        var schemas: [String: Part]
        /// By kind of operation, or by the name of its default response: the reason for each status.
        var problems: [String: [String: String]]

        /// What a reference can name.
        var references: Set<String> {
            let kinds = [
                "parameters": parameters, "requestBodies": requestBodies, "responses": responses, "schemas": schemas,
            ]
            return Set(kinds.flatMap { kind, parts in parts.keys.map { "#/components/\(kind)/\($0)" } })
        }
    }

    static let served: Result<StudioDescription, any Error> = Result {
        try JSONDecoder().decode(StudioDescription.self, from: Data(StudioPage.description.body))
    }

    var openapi: String
    /// For operations that state none.
    var security: [[String: [String]]]
    var paths: [String: [String: Operation]]
    var components: Components

    subscript(route: StudioRoute) -> Operation? { paths[route.path]?[route.method.lowercased()] }

    /// The statuses of the problems that an operation shares with all others of its kind.
    func shared(by route: StudioRoute) -> Set<String> {
        var kinds = ["any"]
        if self[route]?.security?.isEmpty != true { kinds.append("session") }
        if route.path.contains("{") { kinds.append("path") }
        if route.method == "POST" { kinds.append("post") }
        return Set(kinds.flatMap { (components.problems[$0] ?? [:]).keys })
    }

    /// All statuses that an operation may answer with.
    func statuses(of route: StudioRoute) -> Set<String> {
        guard let responses = self[route]?.responses else { return [] }
        let name = responses["default"]?.reference?.split(separator: "/").last.map(String.init) ?? ""
        return shared(by: route).union(responses.keys.filter { $0 != "default" })
            .union((components.problems[name] ?? [:]).keys)
    }
}
