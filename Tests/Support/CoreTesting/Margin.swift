// Promises about real time, and how far a measurement was from breaking one. A busy machine breaks them without a fault of
// the program, so only `scripts/endurance` judges them; it names the file that collects them.
import Glibc
import KinePlatform
import Testing

package enum Margin {
    /// Set by `scripts/endurance`: the file that gets a line for each measurement.
    package static let path = ProcessEnvironment.value("KINECAST_MARGINS")

    /// Whether measurements of real time are judged in this run.
    package static var isJudged: Bool { path != nil }

    /// Expects a measured value of no more than `limit`.
    package static func atMost(
        _ limit: Double, _ value: Double, _ unit: String, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        judge(value, "≤", limit, unit, what, holds: value <= limit, sourceLocation)
    }

    /// Expects a measured value of no less than `limit`.
    package static func atLeast(
        _ limit: Double, _ value: Double, _ unit: String, _ what: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        judge(value, "≥", limit, unit, what, holds: value >= limit, sourceLocation)
    }

    private static func judge(
        _ value: Double, _ relation: String, _ limit: Double, _ unit: String, _ what: String, holds: Bool,
        _ location: SourceLocation
    ) {
        if let test = Test.current, test.tags.isDisjoint(with: [.margins, .endurance]) {
            Issue.record("Tag the test .margins: scripts/endurance finds it by that.", sourceLocation: location)
        }
        guard let path else { return }
        // One write, so that lines of several processes do not mix.
        let fields = [name, what, "\(value)", relation, "\(limit)", unit]
        let line = Array((fields.joined(separator: "\t") + "\n").utf8)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file < 0 || write(file, line, line.count) != line.count {
            Issue.record("The margin could not be written to \(path).", sourceLocation: location)
        }
        if file >= 0 { close(file) }
        #expect(holds, "\(what): \(value) \(unit), promised \(relation) \(limit)", sourceLocation: location)
    }

    private static var name: String {
        guard let test = Test.current else { return "outside of a test" }
        return test.displayName ?? test.name
    }
}
