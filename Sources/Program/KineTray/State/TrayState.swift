// The state of all takes, as the tray shows it.
import KineMedia
import KineProgram
import KineTakes
import KineText
import KineWire

struct TrayState {
    enum Condition: String, CaseIterable {
        case idle, recording, paused, problem
    }

    /// The running takes, oldest first. The newest one is shown.
    var takes: [TakeView] = []

    var take: TakeView? { takes.last }

    var condition: Condition {
        if takes.contains(where: { $0.problem != nil }) { return .problem }
        if take?.phase == .paused { return .paused }
        return takes.contains(where: \.isCapturing) ? .recording : .idle
    }

    /// What the key of an action does now. One of a running take needs the only one.
    func command(for action: DesktopAction) -> MenuCommand {
        guard let request = action.request else { return .kinecast(action.arguments) }
        let running = takes.filter { $0.phase != .ended }
        guard let take = running.first, running.count == 1 else {
            let error = running.isEmpty ? TakeRegistry.Error.nothingRuns : .ambiguous(nil, running.map(\.record))
            return .refuse(error.description)
        }
        return .ask(request(take), take: take.record.id)
    }

    /// The newest take with its recorded time, or that there is none.
    func summary(at now: Int64) -> String {
        guard let take else { return "Not recording" }
        let time = take.phase == .starting ? "" : " \(Quantity.clock(take.time(at: now)))"
        let others = takes.count > 1 ? ", and \(Quantity.count(takes.count - 1, "other take"))" : ""
        return "\(take.activity)\(time)\(others)"
    }

    /// Sentences about what is recorded and what is wrong.
    var details: [String] {
        let source = take.map { [$0.sourceName.printable(limit: 130)] + ($0.file.map { [Self.name($0)] } ?? []) } ?? []
        return source + takes.compactMap(\.problem)
    }

    /// A file's name for a person.
    static func name(_ path: String) -> String {
        // By code points: as characters, "/" and an accent after it are one.
        let last = path.unicodeScalars.split(separator: "/").last.map { String($0) } ?? path
        return last.printable(limit: 100)
    }
}
