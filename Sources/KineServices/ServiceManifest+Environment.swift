// What of an environment an extension gets.

extension ServiceManifest {
    /// Where it finds programs, how it speaks to people, and what its manifest asks for. Nothing of the display, the sound
    /// server or the session, even so. Of `NAME=value`, and as that.
    public func childEnvironment(from environment: [String]) -> [String] {
        environment.filter { entry in
            let name = String(entry.prefix { $0 != "=" })
            guard !Self.isWithheld(name) else { return false }
            return ["PATH", "LANG", "TZ", "HOME"].contains(name) || name.hasPrefix("LC_")
                || self.environment.contains(name)
        }
            // Swift's own crash reporter would hold up the death of a process for seconds.
            + ["SWIFT_BACKTRACE=enable=no"]
    }
}
