// What works on this machine and what is missing: `kinecast-engine --doctor`, which `kinecast doctor` prints.
import CLinux
import Glibc
import KineCapture
import KineCodecs
import KineControl
import KineMedia
import KinePlatform

public enum Doctor {
    /// Checks everything that a recording or a broadcast can need. Nothing is changed and nothing recorded.
    public static func examine() -> [DoctorCheck] {
        SourceRegistry.kinds.compactMap { $0.check() } + [
            audio(), encoder(), disk(), descriptors(), takes(), services(), confinement(), memoryLimit(),
        ]
    }

    private static func audio() -> DoctorCheck {
        do throws(AudioCapture.Error) {
            let audio = try PulseSources.list()
            let output = audio.defaultOutput ?? "no default output"
            let microphone = audio.defaultMicrophone ?? "no microphone"
            return DoctorCheck(name: "sound", ok: true, essential: false, detail: "\(output), \(microphone)")
        } catch {
            return DoctorCheck(
                name: "sound", ok: false, essential: false, detail: error.description,
                remedy: "start PulseAudio or PipeWire with pipewire-pulse; without it, recordings are silent")
        }
    }

    private static func encoder() -> DoctorCheck {
        let size = PixelSize(width: 1920, height: 1080)
        do throws(VideoEncoderError) {
            _ = try TakeEncoder(
                VideoEncoderSettings(size: size, rateControl: .constantQuantizer(23), nominalFrameRate: 30))
            return DoctorCheck(name: "encoder", ok: true, essential: true, detail: "x264 opens at 1920x1080")
        } catch {
            return DoctorCheck(
                name: "encoder", ok: false, essential: true, detail: error.description,
                remedy: "install libx264-164 and leave 100 MB of memory free")
        }
    }

    private static func disk() -> DoctorCheck {
        var info = statvfs()
        guard statvfs(".", &info) == 0 else {
            return DoctorCheck(
                name: "disk", ok: false, essential: true, detail: "the current directory cannot be examined",
                remedy: "change to a directory that exists")
        }
        let gigabytes = Double(info.f_bavail) * Double(info.f_frsize) / 1e9
        let free = String(Int(gigabytes * 10) / 10) + "." + String(Int(gigabytes * 10) % 10) + " GB free here"
        guard access(".", W_OK) == 0 else {
            return DoctorCheck(
                name: "disk", ok: false, essential: false, detail: "this directory cannot be written to",
                remedy: "name a file in another directory")
        }
        return gigabytes < 1
            ? DoctorCheck(
                name: "disk", ok: false, essential: false, detail: free, remedy: "an hour of desktop wants up to 1 GB")
            : DoctorCheck(name: "disk", ok: true, essential: false, detail: free)
    }

    private static func descriptors() -> DoctorCheck {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE, an enumerator that is not imported
        let enough = limit.rlim_cur >= 64
        return DoctorCheck(
            name: "limits", ok: enough, essential: !enough, detail: "\(limit.rlim_cur) open files",
            remedy: enough ? nil : "raise the limit with ulimit -n 1024")
    }

    private static func takes() -> DoctorCheck {
        do throws(TakeRegistry.Error) {
            let listing = try TakeRegistry.standard().list()
            let running = "\(listing.running.count) running"
            guard !listing.dead.isEmpty else {
                return DoctorCheck(name: "takes", ok: true, essential: true, detail: running)
            }
            return DoctorCheck(
                name: "takes", ok: false, essential: false,
                detail: "\(running), \(listing.dead.count) whose engine died",
                remedy: "kinecast status says how to recover them")
        } catch {
            return DoctorCheck(
                name: "takes", ok: false, essential: true, detail: error.description,
                remedy: "set XDG_RUNTIME_DIR to a directory of your own with mode 0700")
        }
    }
}
