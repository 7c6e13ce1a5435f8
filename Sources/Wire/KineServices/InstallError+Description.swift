// One sentence for each reason why a service cannot be installed or removed.
import SystemPackage

extension ServiceCatalog.InstallError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notABundle(let path):
            "\(path) is not a bundle: a directory with a manifest.json and an executable; give the path of one."
        case .damaged(let path, let problem):
            "The bundle \(path) is not installed: in its manifest.json, \(problem); correct it."
        case .cannotCopy(let path, let fault): "The bundle \(path) cannot be installed: \(fault)."
        case .noHome: "There is no place for services of your own; set HOME or XDG_DATA_HOME."
        case .unknown(let name, let installed) where installed.isEmpty:
            "There is no service \(name) to remove; none is installed."
        case .unknown(let name, let installed):
            "There is no service \(name) to remove; installed are \(installed.joined(separator: ", "))."
        case .notYours(let id, nil): "The service \(id) cannot be removed: it is a part of Kinecast."
        case .notYours(let id, let bundle?):
            "The service \(id) cannot be removed here: it is in \(bundle), which is not yours."
        case .cannotRemove(let path, let errno):
            "\(path) cannot be removed: \(errno); correct its permissions."
        case .noConsent(let id, wasAsked: true):
            "The service \(id) is not installed, since it may not have these rights."
        case .noConsent(let id, wasAsked: false):
            "The service \(id) asks for more than every service has, and is not installed, since there is no terminal to "
                + "agree at; install it at one, or with --yes."
        }
    }
}

extension ServiceCatalog.CopyFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .linkLeadsOut(let path): "\(path) is a link that leads out of it; put the file itself there"
        case .notAFile(let path): "\(path) is neither a file nor a directory; remove it"
        case .tooDeep(let path): "\(path) lies too deep; give the bundle itself"
        case .tooLarge(let limit): "it has more than \(limit >> 20) MB; give the bundle itself"
        case .system(let path, let errno): "\(path) failed (\(errno)); correct its permissions or free some space"
        }
    }
}
