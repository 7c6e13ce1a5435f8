// An extension that tries to reach what is not its own, and reports what it got: the end-to-end tests start it as a user's
// service. What it attempts comes in the setup info, since paths and process numbers are the test's to know.
import ConfinementTesting
import Glibc
import KinecastExtension

@main final class Hostile: BroadcastSampleHandler {
    /// The setup field `attempts` holds, with semicolons between them, the name of each attempt, a colon and its argument.
    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        let outcomes = (setupInfo["attempts"] ?? "").split(separator: ";").map { attempt in
            let parts = attempt.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return "\(attempt)=\(Self.outcome(of: parts[0], parts.count > 1 ? parts[1] : ""))"
        }
        // The engine passes on few words a second, so they lie in the one place where it may write.
        guard let directory = PassedFiles.dataDirectory, let file = fopen("\(directory)/outcomes", "w") else {
            throw NoDirectory()
        }
        fputs(outcomes.joined(separator: "\n"), file)
        fclose(file)
        report(state: "done")
    }

    /// "got it", or the error.
    private static func outcome(of name: String, _ argument: String) -> String {
        var outcome = [CChar](repeating: 0, count: 200)
        guard kine_attempt(name, argument, &outcome, outcome.count) >= 0 else { return "no such attempt" }
        return String(decoding: outcome.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

struct NoDirectory: Error, CustomStringConvertible {
    var description: String { "There is no directory to report in." }
}
