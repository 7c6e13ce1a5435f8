// `kinecast annotate`: tells the extensions of a take what is being shown.
import ArgumentParser
import KineClient

struct AnnotateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "annotate",
        abstract: "Tell the destinations of a take what is being shown.",
        usage: "kinecast annotate [TAKE] KEY=VALUE…",
        discussion: "What the keys mean is up to the extensions; each gets all of them.")

    @Argument(
        help: ArgumentHelp(
            "The take's id, or the beginning of it, if more than one is running; then what to tell.",
            valueName: "TAKE|KEY=VALUE"))
    var words: [String]

    func validate() throws { _ = try parsed() }

    /// The first word is a take's id if it has no `=`.
    func parsed() throws -> (take: String?, information: [String: String]) {
        var rest = words[...]
        let take = rest.first.map { $0.contains("=") } == false ? rest.removeFirst() : nil
        var information: [String: String] = [:]
        for word in rest {
            guard let equals = word.firstIndex(of: "="), equals != word.startIndex else {
                throw ValidationError("\(word) is not of the form KEY=VALUE; write a key, = and a value.")
            }
            information[String(word[..<equals])] = String(word[word.index(after: equals)...])
        }
        guard !information.isEmpty else {
            throw ValidationError("There is nothing to tell; add KEY=VALUE, such as title='Second half'.")
        }
        return (take, information)
    }

    func run() throws {
        let (take, information) = try parsed()
        try MainThread.shared.wait { () async throws(ClientError) in
            try await EngineSession.attach(to: take).annotate(information)
        }
    }
}
