import ConfinementTesting
// An extension that tries to reach what is not its own, and reports what it got: the end-to-end tests start it as a user's
// service. What it tries comes in the setup info, since paths and process numbers are the test's to know.
import Glibc
import KinecastExtension

@main final class Hostile: BroadcastSampleHandler {
    /// The setup field `reaches` holds, with semicolons between them, the name of each reach, a colon and its argument.
    override func broadcastStarted(withSetupInfo setupInfo: [String: String]) async throws {
        for line in (setupInfo["reaches"] ?? "").split(separator: ";") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            outcomes.append("\(line)=\(Self.attempt(parts[0], parts.count > 1 ? parts[1] : ""))")
        }
        // The engine passes on few words a second, so they lie in the one place where it may write.
        guard let directory = PassedFiles.dataDirectory, let file = fopen("\(directory)/outcomes", "w") else {
            throw NoPlace()
        }
        fputs(outcomes.joined(separator: "\n"), file)
        fclose(file)
        report(state: "done")
    }

    private var outcomes: [String] = []

    /// "got it", or the error.
    private static func attempt(_ name: String, _ argument: String) -> String {
        var found = [CChar](repeating: 0, count: 200)
        guard kine_reach(name, argument, &found, found.count) >= 0 else { return "no such reach" }
        return String(decoding: found.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

struct NoPlace: Error, CustomStringConvertible {
    var description: String { "There is no directory to report in." }
}
