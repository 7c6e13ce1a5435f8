// The environment variables that an extension gets.

extension ServiceManifest {
    /// The `NAME=value` entries that an extension gets: search path, language, home, and those that its manifest asks for.
    /// Never anything of the display, the audio server or the session.
    public func childEnvironment(from environment: [String]) -> [String] {
        environment.filter { entry in
            let name = String(entry.prefix { $0 != "=" })
            guard !Self.isWithheld(name) else { return false }
            return ["PATH", "LANG", "TZ", "HOME"].contains(name) || name.hasPrefix("LC_")
                || self.environment.contains(name)
        }
            // Swift's own crash reporter would delay the death of a process by seconds.
            + ["SWIFT_BACKTRACE=enable=no"]
    }

    /// Whether a variable leads to the display, the audio or the session, or makes the loader run something else: no extension
    /// gets it, whatever its manifest asks for.
    public static func isWithheld(_ variable: String) -> Bool {
        ["DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"].contains(variable)
            || ["WAYLAND", "PULSE_", "PIPEWIRE", "DBUS_", "LD_", "KINECAST_"].contains(where: variable.hasPrefix)
    }
}
