// Cleans an extension's words for a person: at most a line, without terminal controls and without secrets.
import KinePlatform
import KineWire

extension ExtensionReport {
    func cleaned(of secrets: [String]) -> ExtensionReport {
        // Bytes are bounded as well: the statuses of all destinations fit in one message.
        func clean(_ text: String) -> String { text.cleaned(of: secrets, limit: 500, bytes: 1000) }
        func cleanLink(_ text: String) -> String { text.cleaned(of: secrets, limit: 2000, bytes: 2000) }
        return switch self {
        case .link(let text): .link(cleanLink(text))
        case .links(let links):
            .links(
                BroadcastLinks(
                    page: cleanLink(links.page), player: links.player.map(cleanLink), isRenewable: links.isRenewable))
        case .state(let text): .state(clean(text))
        case .warning(let text): .warning(clean(text))
        case .failed(let text): .failed(clean(text))
        case .log(let line):
            .log(ExtensionLogLine(line.level, line.message.cleaned(of: secrets, limit: ExtensionLogLine.limit)))
        case .live(let isLive, let reason): .live(isLive, reason: reason.map(clean))
        case .serviceInfo(let info): .serviceInfo(ServiceInfo.bounded(info, without: secrets))
        // The desktop's requests are cleaned where it is known whose they are.
        case .started, .heartbeat, .statistics, .needsKeyframe, .encoding, .desktop, .finished: self
        }
    }
}
