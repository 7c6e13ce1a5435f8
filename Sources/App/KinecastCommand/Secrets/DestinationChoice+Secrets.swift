// Keeps the secrets of chosen destinations out of what other processes, and programs started later, see of this one.
import KineMedia
import KinePlatform
import KineServices
import SystemPackage

extension DestinationChoice {
    /// Call it first, since everything behind it may hold stream keys.
    func hideTypedSecrets() {
        ProcessSecrets.forbidDump()
        ProcessSecrets.hideFromArguments(to.filter { $0.contains("://") })
    }

    /// Removes the variables that hold addresses from the environment that all programs inherit which are started from now on, and hides
    /// what was typed for a secret of any service. Call it once the variables are read.
    func hideGivenSecrets(_ services: [Service]) throws {
        for name in try variables() { ProcessSecrets.hideVariable(name) }
        let settings = try settings()
        ProcessSecrets.hideFromArguments(
            services.flatMap { service in
                service.manifest.setup.filter(\.isSecret).flatMap { field in
                    settings.filter { $0.key == field.key || $0.key == "\(service.id).\(field.key)" }.map(\.typedValue)
                }
            })
    }

    /// Removes the secrets of these destinations from the list of processes.
    func hideSecrets(of chosen: [TakeConfiguration.Destination], _ services: [Service]) {
        ProcessSecrets.hideFromArguments(
            chosen.flatMap { destination in
                services.first { $0.id == destination.service }?.secrets(in: destination.setupInfo) ?? []
            })
    }

    func warnOfTypedKeys(
        json: Bool, on places: (sentences: Terminal, events: Terminal) = (.standardError, .standardOutput)
    ) throws {
        guard let warning = try typedKeyWarning() else { return }
        places.sentences.problem(warning)
        if json { JSONEvents.write(JSONEvent("warning") { $0.message = warning }, on: places.events) }
    }
}

extension DestinationReader {
    /// Reads this process's variables and standard input, and files whose names are relative to `directory`.
    static func standard(in directory: FilePath) -> DestinationReader {
        DestinationReader(
            environment: ProcessEnvironment.value, path: { directory.pushing(FilePath(escaped: $0)) },
            standardInput: PrivateFile.standardInput)
    }
}
