// The choice of the last recording, in the user's directory for state: each server has another address, so a browser would
// not know it again.
import KinePlatform
import SystemPackage

struct KeptChoice: Sendable {
    private static let limit = 64 << 10

    /// Nil: there is no place for it.
    private let file: FilePath?

    /// - Parameter directory: for state of programs; it may not exist. Nil: nothing is kept.
    init(in directory: FilePath? = UserDirectories.state()) {
        file = directory?.appending("kinecast").appending("studio.json")
    }

    /// The body of the request; nil if none is kept.
    var kept: [UInt8]? { file.flatMap { PrivateDirectory.contents(of: $0, limit: Self.limit) } }

    /// A choice that cannot be kept is made again by the person.
    func keep(_ body: [UInt8]) {
        guard let file else { return }
        try? PrivateDirectory.makeMissing(file.removingLastComponent())
        try? PrivateDirectory.replace(file, with: body)
    }
}
