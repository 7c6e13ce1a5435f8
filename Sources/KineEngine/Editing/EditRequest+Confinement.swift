// An engine that was started for one request reads foreign bytes with large libraries: it gives up what it does not need for that.
import KineControl
import KinePlatform
import KineServices
import SystemPackage

extension EditRequest {
    /// Leaves this process, which must have one thread, the recording, for a cut the directory of the new file with all below it, and no other
    /// files, no sockets and no programs. Throws where the kernel has such limits and refuses to set them.
    public func confineProcess() throws(Errno) {
        Sandbox.forbidExecution()
        try Sandbox(rules, leavingOut: [.namespaces, .capabilities]).enter()
    }

    private var rules: Sandbox.Rules {
        var rules = Sandbox.Rules()
        rules.readable = ServiceSandbox.libraries
        // Nothing limits its memory.
        rules.mayHideMemory = true
        switch self {
        case .trim(let request):
            rules.readable.append(request.input)
            let output = FilePath(escaped: request.output)
            rules.writable = [(output.resolved ?? output).removingLastComponent().escaped]
        case .images(let request): rules.readable.append(request.input)
        }
        return rules
    }
}
