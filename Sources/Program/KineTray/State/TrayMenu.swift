// The tray's menu: its entries, out of what is shown. MenuObject gives it to the desktop.
import KineDesktop
import KineProgram
import KineWire

/// The action of an entry.
enum MenuCommand: Equatable {
    /// Runs `kinecast` with these arguments.
    case kinecast([String])
    /// Asks the engine of the take with this id.
    case ask(ClientRequest, take: String)
    /// Says why an action is not possible.
    case refuse(String)
    /// Opens a file with the desktop's program for it.
    case open(String)
    case quit
}

struct MenuItem: Equatable {
    let id: Int32
    /// Nil: a line between entries.
    var label: String?
    /// Nil: the entry cannot be used now.
    var command: MenuCommand?
    /// Nil: the entry never has a submenu. Plasma takes no later one for an entry that it knows without.
    var children: [MenuItem]?

    static func line(_ id: Int32) -> MenuItem { MenuItem(id: id, label: nil) }

    /// com.canonical.dbusmenu, "Properties": an underline in a label marks a key.
    var properties: [String: BusValue] {
        guard let label else { return ["type": .string("separator")] }
        var properties: [String: BusValue] = [
            "label": .string(label.replacing("_", with: "__")),
            "enabled": .boolean(command != nil || children?.isEmpty == false),
        ]
        if children != nil { properties["children-display"] = .string("submenu") }
        return properties
    }
}

enum TrayMenu {
    /// Recordings have this number and later ones.
    static let firstRecording: Int32 = 100

    /// The entries. A number means the same action as long as the process runs: a click on an entry that has changed
    /// meanwhile does not start another action.
    static func items(_ state: TrayState, recordings: [(id: Int32, path: String)], at now: Int64) -> [MenuItem] {
        var items = [MenuItem(id: 1, label: state.summary(at: now)), .line(2)]
        items += takeItems(state)
        items.append(.line(10))
        let recent = recordings.map {
            MenuItem(id: $0.id, label: TrayState.name($0.path), command: .open($0.path))
        }
        items.append(MenuItem(id: 13, label: "Recent recordings", children: recent))
        items += [.line(15), MenuItem(id: 16, label: "Quit", command: .quit)]
        return items
    }

    private static func takeItems(_ state: TrayState) -> [MenuItem] {
        let take = state.take
        // An engine of another protocol understands no more than the end.
        let own = take.flatMap { $0.isSameProtocol ? $0 : nil }
        let id = take?.record.id ?? ""
        /// Asks for the action; nil: it is not possible now.
        func ask(_ action: DesktopAction) -> MenuCommand? {
            guard let own, action.isPossible(in: own), let request = action.request else { return nil }
            return .ask(request(own), take: id)
        }
        let start = MenuItem(id: 3, label: "Start recording", command: .kinecast(DesktopAction.record.arguments))
        let stop = MenuItem(
            id: 4, label: take?.file == nil ? "Stop" : "Stop recording",
            // `record --toggle` ends only a take that it has begun.
            command: take?.phase == .ended ? nil : .ask(.stop(immediately: false), take: id))
        let pause =
            own?.phase == .paused
            ? MenuItem(id: 6, label: "Resume", command: ask(.pause))
            : MenuItem(id: 5, label: "Pause", command: ask(.pause))
        let buffering = state.takes.last { $0.isSameProtocol && DesktopAction.clip.isPossible(in: $0) }
        let clip = MenuItem(
            id: 7, label: DesktopAction.clip.label,
            command: buffering.map { .kinecast(DesktopAction.clip.arguments + [$0.record.id]) })
        let microphone =
            own?.status.isMicrophoneOn == false
            ? MenuItem(id: 9, label: "Unmute the microphone", command: ask(.microphone))
            : MenuItem(id: 8, label: "Mute the microphone", command: ask(.microphone))
        // Every other action has one entry and one request.
        let actions = DesktopAction.allCases.filter { ![.record, .pause, .clip, .microphone].contains($0) }
        let others = zip(Int32(17)..., actions).map { MenuItem(id: $0, label: $1.label, command: ask($1)) }
        return [take == nil ? start : stop, pause] + others + [clip, microphone]
    }
}
