// Checks the machine for the requirements of a take: `kinecast-engine --doctor`, for `kinecast doctor`.
import CLinux
import Glibc
import KineCodecs
import KineMedia
import KinePulse
import KineTake
import KineTakes
import KineText
import KineWire
import KineX264

public enum Doctor {
    /// Checks the requirements of recordings and broadcasts. Changes nothing and records nothing.
    public static func examine() -> [DoctorCheck] {
        SourceRegistry.all.kinds.compactMap { $0.check() } + wayland() + [
            audio(), encoder(), disk(), descriptors(), takes(), services(), confinement(), memoryLimit(),
        ] + desktop()
    }

    private static func audio() -> DoctorCheck {
        do throws(AudioCapture.Error) {
            let audio = try PulseSources.list()
            let output = audio.defaultOutput ?? "no default output"
            let microphone = audio.defaultMicrophone ?? "no microphone"
            let server = audio.server.map { "; \($0.printable(limit: 80))" } ?? ""
            return .passed("audio", "\(output), \(microphone)\(server)")
        } catch {
            return .failed(
                "audio", sentence: error.sentence,
                remedy:
                    "start PulseAudio or PipeWire (Debian's pulseaudio or pipewire-pulse); without it, recordings are silent"
            )
        }
    }

    private static func encoder() -> DoctorCheck {
        let size = PixelSize(width: 1920, height: 1080)
        do throws(VideoEncoderError) {
            _ = try X264Encoder(
                VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
            return .passed("encoder", "x264 opens at 1920x1080", essential: true)
        } catch {
            return .failed(
                "encoder", sentence: error.description, essential: true,
                remedy: "install libx264-164 and leave 100 MB of memory free")
        }
    }

    private static func disk() -> DoctorCheck {
        var info = statvfs()
        guard statvfs(".", &info) == 0 else {
            return .failed(
                "disk", "the current directory cannot be examined", essential: true,
                remedy: "change to a directory that exists")
        }
        let gigabytes = Double(info.f_bavail) * Double(info.f_frsize) / 1e9
        let free = String(Int(gigabytes * 10) / 10) + "." + String(Int(gigabytes * 10) % 10) + " GB free here"
        guard access(".", W_OK) == 0 else {
            return .failed(
                "disk", "this directory cannot be written to", remedy: "name a file in another directory")
        }
        return gigabytes < 1
            ? .failed("disk", free, remedy: "an hour of desktop wants up to 1 GB") : .passed("disk", free)
    }

    private static func descriptors() -> DoctorCheck {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE, an enumerator that is not imported
        let found = "\(limit.rlim_cur) open files"
        return limit.rlim_cur >= 64
            ? .passed("limits", found)
            : .failed("limits", found, essential: true, remedy: "raise the limit with ulimit -n 1024")
    }

    private static func takes() -> DoctorCheck {
        do throws(TakeRegistry.Error) {
            let listing = try TakeRegistry.standard().list()
            let running = "\(listing.running.count) running"
            guard !listing.dead.isEmpty else { return .passed("takes", running, essential: true) }
            return .failed(
                "takes", "\(running), \(listing.dead.count) whose engine died",
                remedy: "kinecast status says how to recover them")
        } catch {
            return .failed(
                "takes", sentence: error.description, essential: true,
                remedy: "set XDG_RUNTIME_DIR to a directory of your own with mode 0700")
        }
    }
}
