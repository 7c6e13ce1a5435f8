// Connects clients with the extensions of their groups.
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

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

    /// The reason why a program gets no frames of a group; nil: it gets them. Its own manifest has to name the group. This keeps honest programs apart;
    /// another program of the same user could write such a manifest.
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
