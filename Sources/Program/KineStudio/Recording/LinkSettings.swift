// What the reach of a live page's link means to its service.
import KineServices

extension DestinationName {
    /// The settings of the live page; they replace what is configured. Throws a sentence about the address.
    func settings(_ link: PublicLink?) throws(StudioProblem) -> [String: String] {
        switch reach {
        case .computer, nil: return [:]
        case .network: return ["listen": "0.0.0.0", "public-url": ""]
        case .public:
            guard let link, !link.address.isEmpty else {
                throw StudioProblem(.conflict, "The link needs the address that viewers open; give it.")
            }
            let settings = ["listen": "\(link.port ?? 8080)", "public-url": link.address]
            if let problem = FieldProblems(of: settings, in: BuiltInServices.live.fields).problems.values.first {
                throw StudioProblem(.conflict, problem)
            }
            return settings
        }
    }
}

extension RecordingChoice {
    /// The options of `kinecast broadcast` for the reach of its link. Throws a sentence.
    func linkArguments() throws(StudioProblem) -> [String] {
        let pages = (destinations ?? []).filter { $0.reach != nil }
        guard pages.count <= 1 else {
            throw StudioProblem(.conflict, "A take begins with one link; add the other while it is live.")
        }
        let settings = try pages.first?.settings(link) ?? [:]
        return settings.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", $0.value] }
    }
}
