// What the programs that connect with a take may have of it. The one check is `EngineHost.answer`'s; this has its parts, and ends what
// was given when the take captures more.
import KinePlatform
import KineWire

extension EngineHost {
    /// The reason why a program may not have these kinds of a take that another one began; nil: it may. The person is not asked for it:
    /// they would be asked about a take that runs already.
    ///
    /// - Parameter program: nil is the take's owner, which has what the person allowed it.
    func refusal(of needed: Set<PermissionKind>, for program: AskingProgram?) -> String? {
        guard !needed.isEmpty, let program else { return nil }
        switch program {
        case .commandLine: return nil
        case .unknown: return EngineError.unknownProgram.message
        case .program(let executable):
            if executable == permission?.subject?.executable { return nil }
            let known = ((try? PermissionStore.standard().list()) ?? []).filter { $0.subject.executable == executable }
            let missing = needed.filter { kind in !known.contains { $0[kind] == .granted } }
            return missing.isEmpty ? nil : sentence(missing, executable)
        }
    }

    private func sentence(_ missing: Set<PermissionKind>, _ executable: String) -> String {
        let program = executable.printable(limit: 400).shellWord
        if AskingProgram.isCommandLine(name: executable), let own = AskingProgram.ownCommand {
            return "\(program) belongs to another installation of Kinecast than this take; run "
                + "\(own.printable(limit: 400).shellWord) instead."
        }
        return "\(program) may use \(PermissionKind.words(missing)) of another program's take only where a person "
            + "allows it; run \(PermissionKind.grantCommand(missing, to: executable)) beforehand."
    }

    /// The take captures that kind from now on, or no more. Call it before it does: programs that may not have it lose their samples,
    /// frames and destinations.
    func setCaptured(_ kind: PermissionKind, isOn: Bool) {
        captured.set(kind, isOn: isOn)
        guard isOn else { return }
        let refusal = { [self] (request: ClientRequest, program: AskingProgram?) in
            self.refusal(of: request.disclosed(of: captured), for: program)
        }
        clientFeeds.end { refusal(.receiveSamples($0), clients.program(of: $1)) }
        for (client, request) in frameReceivers.requests {
            guard let reason = refusal(.receiveFrames(request), clients.program(of: client)) else { continue }
            frameReceivers.remove(client)
            client.tell(.frames(.ended(reason)))
        }
        destinations?.end(at: MonotonicClock.now()) { self.refusal(of: captured.now, for: $0) }
    }
}
