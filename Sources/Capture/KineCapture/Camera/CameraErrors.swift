// The errors of cameras, and of files that stand in for one.
import CAVDevice
import KinePlatform
import KineText
import SystemPackage

extension VideoSourceError {
    /// There is no camera of that name; nil: none at all.
    public static func noCamera(_ name: String?, existing: [String]) -> Self {
        guard let name else { return Self("There is no camera on this machine; plug one in, or record without it.") }
        let instead = existing.isEmpty ? "" : " (there is: \(existing.joined(separator: ", ")))"
        return Self("There is no camera called \(name.printable(limit: 100))\(instead); kinecast sources lists them.")
    }

    public static func cameraFileUnreadable(_ path: String, _ error: Errno) -> Self {
        Self("\(standIn(path)) cannot be read (\(error)); give the path of a file with video.")
    }

    public static func cameraFileEmpty(_ path: String) -> Self {
        Self("\(standIn(path)) is empty; give the path of a file with video.")
    }

    /// The file is a FIFO that no process writes into.
    public static func cameraPipeUnwritten(_ path: String) -> Self {
        Self(
            "No program writes into the FIFO \(path.printable(limit: 400)), which stands in for a camera; start one that does."
        )
    }

    /// A library that opens cameras is not installed.
    static func noCameraLibrary(_ library: LateLibrary) -> Self {
        Self("A camera needs \(library.name), which \(library.lack()); \(library.remedy).")
    }

    /// The camera cannot be opened, or gives no frames any more. `reason` stands in the middle of a sentence.
    public static func cameraFailed(_ reason: String, of input: CameraInput? = nil) -> Self {
        if case .file(let path) = input {
            return Self("\(standIn(path)) gives no picture (\(reason)); give the path of a file with video.")
        }
        return Self("The camera gives no picture (\(reason)); check its cable, and whether another program uses it.")
    }

    private static func standIn(_ path: String) -> String {
        "The file \(path.printable(limit: 400)), which stands in for a camera,"
    }
}

extension LateLibrary {
    static let libavformat = LateLibrary("libavformat", interface: Int(LIBAVFORMAT_VERSION_MAJOR))
    static let libavdevice = LateLibrary("libavdevice", interface: Int(LIBAVDEVICE_VERSION_MAJOR))
}
