// One sentence for each problem of a take's configuration.
import KinePlatform

extension TakeConfiguration.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .outOfRange(let setting, let value, let allowed):
            "The \(setting) \(value.printable(limit: 100)) is out of range; give \(allowed)."
        case .colourOfRecordings:
            "Full range and 4:4:4 are for recordings alone, since most destinations show them wrong or not at all; "
                + "leave them out of a broadcast."
        case .unusablePath(let path):
            "The file's path \(path.printable(limit: 200)) is not an absolute one; give one that begins with a slash."
        }
    }
}
