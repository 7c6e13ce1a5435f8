// What can go wrong between the two ends; the bench prints it and counts the way as failed.
import SystemPackage

enum WayError: Error, CustomStringConvertible {
    case system(doing: String, Errno)
    case malformed(String)
    case jpeg(String)

    var description: String {
        switch self {
        case .system(let doing, let errno):
            "\(doing) failed: \(errno); look at `ulimit -n` and at what else is running."
        case .malformed(let what): "The other end sent \(what), which is no frame; both ends must be of one build."
        case .jpeg(let reason): "libjpeg-turbo refused: \(reason)"
        }
    }
}
