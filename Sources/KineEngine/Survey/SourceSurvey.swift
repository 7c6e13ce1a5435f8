// What this machine offers to record: `kinecast-engine --list-sources`, which `kinecast sources` prints.
import KineCapture
import KineControl

public enum SourceSurvey {
    /// Asks the display and the sound server. What cannot be asked is named in `problems`.
    public static func list() -> SourceList {
        var list = SourceList()
        do throws(VideoSourceError) {
            let display = try X11Inventory()
            list.monitors = display.monitors.map {
                SourceList.Monitor(name: $0.name, bounds: $0.bounds, isPrimary: $0.isPrimary)
            }
            list.windows = display.windows.map {
                SourceList.Window(id: $0.id, title: $0.title, application: $0.application, bounds: $0.bounds)
            }
        } catch {
            list.problems.append(error.description)
        }
        do throws(SoundCapture.Error) {
            let sound = try PulseSources.list()
            list.outputs = sound.outputs.map {
                SourceList.AudioDevice(
                    name: $0.name, description: $0.description, isDefault: $0.name == sound.defaultOutput)
            }
            list.microphones = sound.microphones.map {
                SourceList.AudioDevice(
                    name: $0.name, description: $0.description, isDefault: $0.name == sound.defaultMicrophone)
            }
            list.applications = Set(sound.playbacks.map { $0.application.isEmpty ? $0.binary : $0.application })
                .sorted()
        } catch {
            list.problems.append(error.description)
        }
        return list
    }
}
