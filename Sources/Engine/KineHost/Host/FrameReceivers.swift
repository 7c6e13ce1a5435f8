// Clients that receive samples from extensions. The engine makes a pair of sockets for each extension and client,
// because extensions may open none; it does not read or write them.
import KineMedia
import KineSupervision
import KineText
import KineWire
import SystemPackage

/// Used by the main thread.
final class FrameReceivers {
    private struct Receiver {
        let client: EngineConnection
        let request: FrameRequest
    }

    /// The most clients. Extensions have lower limits.
    private static let mostAtOnce = 16

    private var receivers: [Receiver] = []

    /// Keeps a client's request, in place of its last one. Returns the reason if it is refused.
    func add(_ request: FrameRequest, for client: EngineConnection) -> String? {
        receivers.removeAll { $0.client === client || $0.client.isClosed }
        guard receivers.count < Self.mostAtOnce else {
            return "\(Self.mostAtOnce) clients get frames of this take, which is the most; end one of them first."
        }
        var lasting = request
        lasting.destination = nil
        receivers.append(Receiver(client: client, request: lasting))
        return nil
    }

    var requests: [(client: EngineConnection, request: FrameRequest)] { receivers.map { ($0.client, $0.request) } }

    /// Connects the client with no more extensions. Existing sockets are between the extension's process and the
    /// client's, so the client closes those itself.
    func remove(_ client: EngineConnection) { receivers.removeAll { $0.client === client } }

    /// Connects every receiver with an extension that has just started.
    func extensionRuns(_ supervisor: ExtensionSupervisor) {
        receivers.removeAll { $0.client.isClosed }
        for receiver in receivers { connect(supervisor, with: receiver) }
    }

    func connect(_ supervisor: ExtensionSupervisor, with client: EngineConnection) {
        for receiver in receivers where receiver.client === client { connect(supervisor, with: receiver) }
    }

    private func connect(_ supervisor: ExtensionSupervisor, with receiver: Receiver) {
        let request = receiver.request
        guard supervisor.passesFrames(to: request), let ends = try? PacketSocket.pair() else { return }
        defer {
            try? ends.0.close()
            try? ends.1.close()
        }
        let status = supervisor.status
        guard supervisor.offer(ends.0, toReceiverIn: request.group) else { return }
        let message = FrameFeedMessage.open(service: status.service, destination: status.destination)
        receiver.client.tell(.frames(message), descriptors: [ends.1])
    }
}

// Connects clients with the extensions of their groups.
extension EngineHost {
    func receiveFrames(_ request: FrameRequest, for asker: Asker) {
        let client = asker.client
        if let reason = Self.refusal(of: request, from: AskingProgram(at: client.descriptor)) {
            return asker.refuse(.notPermitted, reason)
        }
        if let reason = frameReceivers.add(request, for: client) { return asker.refuse(.unavailable, reason) }
        asker.reply()
        destinations?.connectFrames(to: client, only: request.destination)
    }

    /// The reason to refuse a program the frames of a group; nil: it may have them. Its own manifest must name the
    /// group. This keeps honest programs apart, but another program of the same user could write such a manifest.
    static func refusal(of request: FrameRequest, from program: AskingProgram) -> String? {
        let executable: String
        switch program {
        case .program(let path): executable = path
        case .commandLine: return "Frames are for apps; kinecast itself is a member of no group."
        case .unknown: return "The system does not say which program asks for frames."
        }
        do throws(AppIdentity.FileProblem) {
            if try AppIdentity.of(executable: FilePath(escaped: executable)).groups.contains(request.group) {
                return nil
            }
        } catch {
            return "\(error)"
        }
        return
            "\(executable) is no member of the group \(request.group); add it to \"groups\" in \(AppIdentity.fileName) "
            + "beside it."
    }
}
