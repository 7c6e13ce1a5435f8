// The restore tokens of screen casts: with one, the portal gives the same source again without asking the person.
import Glibc
import KinePlatform
import KineText
import SystemPackage

/// One file per application and kind of source, `$XDG_STATE_HOME/kinecast/screen-cast/APPLICATION.TARGET`, or
/// `APPLICATION.monitor@NAME` for a monitor requested by name. Calls block while they read or write the small file.
///
/// A token is good for one session. If two takes use the same one at the same time, the portal asks the person for the
/// second; the last token is kept.
public struct RestoreTokens: Sendable {
    public enum Error: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// Neither XDG_STATE_HOME nor HOME is set.
        case noHome
        case unusableDirectory(FilePath, PrivateDirectory.Fault)
        case cannotWrite(FilePath, Errno)

        public var description: String {
            let consequence = "the desktop asks again next time"
            return switch self {
            case .noHome:
                "There is no place for the desktop's permission, so \(consequence); set HOME or XDG_STATE_HOME."
            case .unusableDirectory(let path, let fault):
                "\(path), the directory for the desktop's permissions, cannot be used (\(fault)), so \(consequence); make "
                    + "it yours alone (chmod 700)."
            case .cannotWrite(let path, let error):
                "\(path) cannot be written (\(error)), so \(consequence); correct its directory."
            }
        }
    }

    private let directory: FilePath

    /// - Parameter directory: for tokens only. Created with the first token.
    public init(directory: FilePath) { self.directory = directory }

    public static func standard(
        _ variable: (String) -> String? = ProcessEnvironment.value
    ) throws(Error) -> RestoreTokens {
        guard let state = UserDirectories.state(variable) else { throw .noHome }
        return RestoreTokens(directory: state.appending("kinecast").appending("screen-cast"))
    }

    /// The last token; nil: there is none, or it cannot be read. The portal then asks the person.
    public func token(of application: String, _ target: ScreenCastRequest.Target, monitor: String? = nil) -> String? {
        guard let mode = try? PrivateDirectory.check(directory), mode & 0o077 == 0,
            let bytes = PrivateDirectory.contents(
                of: file(application, target, monitor), limit: ScreenCastAnswers.longestToken),
            // A text with a zero byte cannot be sent.
            !bytes.isEmpty, !bytes.contains(0)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Replaces the last token.
    public func keep(
        _ token: String, of application: String, _ target: ScreenCastRequest.Target, monitor: String? = nil
    ) throws(Error) {
        try makeDirectory()
        let file = file(application, target, monitor)
        do {
            try PrivateDirectory.replace(file, with: Array(token.utf8), writingTo: ".\(getpid()).new")
        } catch {
            throw .cannotWrite(file, error as? Errno ?? .ioError)
        }
    }

    public func remove(
        of application: String, _ target: ScreenCastRequest.Target, monitor: String? = nil
    ) throws(Error) {
        let file = file(application, target, monitor)
        if unlink(file.cString) != 0, errno != ENOENT { throw .cannotWrite(file, Errno(rawValue: errno)) }
    }

    private func makeDirectory() throws(Error) {
        let parent = directory.removingLastComponent()
        do throws(Errno) { try PrivateDirectory.makeMissing(parent) } catch { throw .cannotWrite(parent, error) }
        do throws(PrivateDirectory.Fault) {
            try PrivateDirectory.make(directory)
        } catch {
            throw .unusableDirectory(directory, error)
        }
    }

    private func file(_ application: String, _ target: ScreenCastRequest.Target, _ monitor: String?) -> FilePath {
        // Encoded, so that any identifier can name a file.
        let monitor = monitor.map { "@" + $0.percentEncoded(except: "-_.") } ?? ""
        return directory.appending("\(application.percentEncoded(except: "-_.")).\(target.rawValue)\(monitor)")
    }
}
