// The errors of starting an extension, with a sentence for each.
import KineMedia
import KineServices
import KineText
import KineWire
import SystemPackage

extension ExtensionProcess {
    enum StartError: Error, CustomStringConvertible {
        case noChannel(ControlError, service: String)
        case unconfined(Errno, service: String)
        case refused(ServiceManifest.Problem, service: String)
        case notExecutable(Errno, FilePath, service: String)
        case notListening(ListeningSocket.Error)
        case noGroup(UserDataDirectory.Error, group: String, service: String)
        case notLoaded(LoadingFailure, service: String)
        case superseded(service: String)

        var description: String {
            switch self {
            case .noChannel(let error, let service): "The service \(service) cannot be started: \(error)"
            case .unconfined(let error, let service):
                "The service \(service) cannot be confined: \(error); kinecast doctor says what this machine has."
            case .refused(let problem, let service):
                "The service \(service) is not started: in its manifest.json, \(problem); correct it, or remove the service."
            case .notExecutable(let error, let executable, let service):
                "\(executable), the executable of the service \(service), cannot be started: \(error); install the "
                    + "service again."
            case .notListening(let error): error.description
            case .noGroup(let error, let group, let service):
                "The service \(service) shares the group \(group), whose directory cannot be used: \(error)."
            case .notLoaded(let failure, let service): "The service \(service) \(failure)."
            case .superseded(let service):
                "The service \(service) was removed, and is not started again; add its destination anew."
            }
        }
    }
}

extension ExtensionProcess.StartError {
    var problem: ProblemCode? {
        guard case .notListening(let error) = self, error.cause == .addressInUse else { return nil }
        return ProblemCode(.addressInUse, ["address": error.address])
    }
}

extension ListeningSocket {
    struct Error: Swift.Error, CustomStringConvertible {
        /// The address to listen on, as the user wrote it.
        let address: String
        let setting: String
        let service: String
        /// Nil: the text is not an address to listen on.
        let cause: Errno?

        var description: String {
            let advice =
                switch cause {
                case nil:
                    "set “\(setting)” to an address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080"
                case .addressInUse:
                    "something else listens there already; set “\(setting)” to another port, or to none for a free one"
                case .permissionDenied: "ports below 1024 are for root; set “\(setting)” to a port above"
                case .addressNotAvailable, .noSuchAddressOrDevice:
                    "this machine has no such address; set “\(setting)” to one of its own, or to 0.0.0.0 for all"
                case .some(let error): "\(error); set “\(setting)” to another address"
                }
            return "\(service) cannot listen on “\(address.printable(limit: 100))”: \(advice)."
        }
    }
}

// Cleans an extension's words for a person: at most a line, without terminal controls and without secrets.
extension ExtensionReport {
    func cleaned(of secrets: [String]) -> ExtensionReport {
        // The bytes are limited too: the statuses of all destinations fit in one message.
        func clean(_ text: String) -> String { text.cleaned(of: secrets, limit: 500, bytes: 1000) }
        func cleanCode(_ code: ProblemCode?) -> ProblemCode? {
            code?.cleaned { $0.cleaned(of: secrets, limit: 200, bytes: 200) }
        }
        func cleanLink(_ text: String) -> String { text.cleaned(of: secrets, limit: 2000, bytes: 2000) }
        return switch self {
        case .links(let links):
            .links(
                BroadcastLinks(
                    page: cleanLink(links.page), player: links.player.map(cleanLink), isRenewable: links.isRenewable))
        case .state(let text): .state(clean(text))
        case .warning(let text, let code): .warning(clean(text), code: cleanCode(code))
        case .failed(let text, let code): .failed(clean(text), code: cleanCode(code))
        case .log(let line):
            .log(ExtensionLogLine(line.level, line.message.cleaned(of: secrets, limit: ExtensionLogLine.limit)))
        case .live(let isLive, let reason, let code):
            .live(isLive, reason: reason.map(clean), code: cleanCode(code))
        case .serviceInfo(let info): .serviceInfo(ServiceInfo.bounded(info, without: secrets))
        // Requests to the desktop are cleaned later, where the sender is known.
        case .started, .heartbeat, .statistics, .needsKeyframe, .encoding, .desktop, .finished: self
        }
    }
}
