// Lists the sources of this machine: `kinecast-engine --list-sources`, for `kinecast sources`.
import KineCapture
import KineMedia
import KinePulse
import KineTake

public enum SourceSurvey {
    /// Asks each kind of source for monitors and windows.
    static func screens() -> SourceList {
        var list = SourceList()
        for kind in SourceRegistry.all.kinds { kind.survey(&list) }
        return list
    }

    /// Asks each kind of source, and the audio server. `problems` has a sentence for each that did not answer.
    public static func list() -> SourceList {
        var list = screens()
        list.cameras = CameraInventory.cameras()
        do throws(AudioCapture.Error) {
            let audio = try PulseSources.list()
            list.outputs = audio.outputs.map {
                SourceList.AudioDevice(
                    name: $0.name, description: $0.description, isDefault: $0.name == audio.defaultOutput)
            }
            list.microphones = audio.microphones.map {
                SourceList.AudioDevice(
                    name: $0.name, description: $0.description, isDefault: $0.name == audio.defaultMicrophone)
            }
            for output in audio.outputs where output.monitor == audio.defaultMicrophone {
                list.microphones.append(
                    SourceList.AudioDevice(
                        name: output.monitor, description: "what \(output.description) plays", isDefault: true))
            }
            list.applications = Set(audio.playbacks.map { $0.application.isEmpty ? $0.binary : $0.application })
                .sorted()
        } catch {
            list.problems.append(error.sentence)
        }
        return list
    }
}
