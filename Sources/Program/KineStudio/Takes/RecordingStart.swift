// The start of a recording that a page has asked for: which take is it, did it begin, and what is said if not. Pure.
import FoundationEssentials
import KineMedia
import KinePlatform

/// A program records, and says by its JSON which take is its own. That take is shown as soon as the studio follows it.
struct RecordingStart {
    enum Ending: Equatable {
        /// The studio shows the take.
        case begun
        /// There is no take, as was asked: the program has ended an earlier one, or the countdown was cancelled.
        case nothing
        /// There is no take, and its engine has not said why.
        case failed
    }

    /// The program's number.
    let program: Int
    /// The id of its take, once it is known.
    private(set) var take: String?
    /// The code of the program's error, if it has one.
    private(set) var code: ProblemCode?
    private var isCancelled = false

    init(_ program: Int) { self.program = program }

    /// The lines of docs/json-events.md that name the take, or say why there is none.
    private struct Line: Decodable {
        var event: String
        var id: String?
        var code: String?
        var values: [String: String]?
    }

    mutating func read(_ line: String) {
        guard let read = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else { return }
        switch read.event {
        case "opening", "started": take = take ?? read.id
        case "error": code = read.code.map { ProblemCode(named: $0, read.values ?? [:]) }
        default: break
        }
    }

    /// Returns whether the program is to be ended: a take that is there is ended by its engine.
    mutating func cancel() -> Bool {
        isCancelled = true
        return take == nil
    }

    /// The start's end, if that is now.
    ///
    /// - Parameters:
    ///   - followed: the ids of takes whose engine has answered the studio, also of those that have ended since. Such an engine
    ///     says by itself how its take ends.
    ///   - exit: the program's end; nil: it runs.
    func ending(_ followed: Set<String>, exit: ChildProcess.Ending?) -> Ending? {
        if let take, followed.contains(take) { return .begun }
        guard let exit else { return nil }
        return exit == .exited(status: 0) || isCancelled ? .nothing : .failed
    }
}
