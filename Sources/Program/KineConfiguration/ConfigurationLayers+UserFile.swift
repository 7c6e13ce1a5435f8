// Where the layers come from in a process: the user's kinecast.conf and the environment.
import KinePlatform
import SystemPackage

extension ConfigurationLayers {
    package static func settings() throws -> SettingsFile {
        try SettingsFile(named: "kinecast.conf", ProcessEnvironment.value)
    }

    /// The user's file and the environment of this process. Without a place for the file, there is none.
    package static func current() throws -> ConfigurationLayers {
        let settings = try? settings()
        let file = try ConfigurationFile(settings?.contents() ?? [], path: settings?.path ?? "kinecast.conf")
        return ConfigurationLayers(file: file, environment: ProcessEnvironment.current)
    }

    /// Replaces the file by what `change` makes of it, and returns its path.
    @discardableResult package static func update(
        _ change: (ConfigurationFile) throws -> ConfigurationFile
    ) throws -> FilePath {
        let settings = try settings()
        // The errors of `change` come from here: SettingsFile throws only its own.
        _ = try change(current().file)
        try settings.update { bytes in try change(ConfigurationFile(bytes ?? [], path: settings.path)).bytes }
        return settings.path
    }
}
