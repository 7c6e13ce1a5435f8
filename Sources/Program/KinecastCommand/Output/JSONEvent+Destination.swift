// The event `destination` of `--json`.
import KineWire

extension JSONEvent {
    static func destination(_ event: DestinationEvent) -> JSONEvent {
        JSONEvent("destination") {
            $0.destination = event.destination
            $0.label = event.label
            switch event.kind {
            case .phase(let phase): ($0.kind, $0.phase) = ("phase", phase.rawValue)
            case .link(let link): ($0.kind, $0.link) = ("link", link)
            case .playerLink(let link): ($0.kind, $0.link) = ("playerLink", link)
            case .state(let state): ($0.kind, $0.state) = ("state", state)
            case .warning(let text): ($0.kind, $0.message) = ("warning", text)
            case .log(let line): ($0.kind, $0.level, $0.message) = ("log", line.level.rawValue, line.message)
            case .serviceInfo(let info): ($0.kind, $0.serviceInfo) = ("serviceInfo", info)
            case .memoryWarning(let resident, let limit):
                ($0.kind, $0.residentMemory, $0.memoryLimit) = ("memoryWarning", resident, limit)
            case .restarting(let ending): $0.set("restarting", ending)
            case .ended(let ending): $0.set("ended", ending)
            }
        }
    }

    private mutating func set(_ kind: String, _ ending: DestinationEnding) {
        self.kind = kind
        self.ending = ending.name
        message = ending.message
        if case .memoryLimitExceeded(let peak, let limit) = ending {
            (peakMemory, memoryLimit) = (peak, limit)
        }
    }
}
