// Why the source of a take stands still for a while: a monitor was unplugged, or the desktop's screen cast was lost.
import KineText

/// Meanwhile the take shows the source's last picture, and goes on with sound.
public struct SourceInterruption: Codable, Sendable, Equatable {
    public enum Reason: String, Codable, Sendable {
        /// The connection with PipeWire was lost, and the desktop is asked for its cast again when PipeWire is back.
        case castLost
        /// The desktop sends nothing any more, and is asked again.
        case castStopped
        /// A recorded monitor is unplugged, or turned off for the desktop.
        case monitorGone
        /// The recorded region lies outside a screen that has become smaller.
        case regionGone
        /// A reason that this version does not know.
        case other

        public init(from decoder: any Decoder) throws {
            self = Reason(rawValue: try String(from: decoder)) ?? .other
        }
    }

    public var reason: Reason
    /// The monitor that is gone, by the name of `--monitor`; nil: the reason is another.
    public var monitor: String?

    public init(_ reason: Reason, monitor: String? = nil) { (self.reason, self.monitor) = (reason, monitor) }

    /// What happened and what to do, for a person.
    public var sentence: String {
        switch reason {
        case .castLost:
            "The connection with PipeWire was lost; the recording goes on with the last picture, and the desktop is asked for its screen "
                + "again as soon as PipeWire is back."
        case .castStopped:
            "The desktop's screen cast has stopped; the recording goes on with the last picture, and the desktop is asked for its screen "
                + "again."
        case .other: "The source stands still; the recording goes on with its last picture."
        case .monitorGone, .regionGone:
            "\(name.capitalizedFirst) is gone; the recording goes on with its last picture until it is back. kinecast switch shows another "
                + "source."
        }
    }

    /// The code of `sentence`; nil: a later version's.
    package var problem: ProblemCode? {
        ProblemCode.Name(rawValue: reason.rawValue).map { ProblemCode($0, ["monitor": monitor]) }
    }

    /// The sentence of a take that ends with it; nil: a take waits for the source's return in any case.
    public var endSentence: String? {
        switch reason {
        case .castLost, .castStopped, .other: nil
        case .monitorGone, .regionGone: "\(name.capitalizedFirst) is gone, so the recording ends here."
        }
    }

    /// A clause without a capital letter or a full stop, for a short display.
    public var phrase: String {
        switch reason {
        case .castLost: "PipeWire is gone"
        case .castStopped: "the desktop's screen cast has stopped"
        case .other: "the source stands still"
        case .monitorGone, .regionGone: "\(name) is gone"
        }
    }

    private var name: String {
        monitor.map { "monitor \($0.printable(limit: 100))" } ?? "the recorded region of the screen"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
