// The bytes of a recording for a video element: tokens for its address, ranges, and reading in pieces.
import Glibc
import KineText
import SystemPackage

/// A recording whose address a page has got.
struct OpenedRecording: Sendable {
    var path: String
    let version: FileVersion
}

extension Tokens<OpenedRecording> {
    /// Players go on with a file that was renamed.
    func rename(_ path: String, to new: String) { change { if $0.path == path { $0.path = new } } }

    /// Opens the file of a token. Throws if it has changed since it got the token.
    func file(_ token: String) throws(StudioProblem) -> MediaFile {
        guard let opened = value(of: token) else { throw .gone }
        return try MediaFile(opened.path, opened.version)
    }
}

extension Library {
    /// Opens the file of a token, also where another program has renamed it since. Throws if it has changed.
    func mediaFile(_ token: String) throws(StudioProblem) -> MediaFile {
        do throws(StudioProblem) { return try media.file(token) } catch {
            guard error == MediaFile.changed else { throw error }
            let entries = scan()
            media.change { opened in
                guard FileVersion(of: opened.path) != opened.version,
                    let renamed = entries.first(where: { $0.version == opened.version })
                else { return }
                opened.path = renamed.file.path
            }
            return try media.file(token)
        }
    }
}

/// An open file. Any thread may call.
final class MediaFile: Sendable {
    /// Bytes that are read at once, and the most that wait for a slow player.
    static let pieceSize = 256 << 10
    static let changed = StudioProblem(
        .gone, "The file was changed, moved or deleted while it played; open it again from the list.")

    private let descriptor: FileDescriptor
    private let version: FileVersion
    let type: String
    var size: Int64 { version.size }

    init(_ path: String, _ version: FileVersion) throws(StudioProblem) {
        let raw = Glibc.open(path.cString, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard raw >= 0 else { throw Self.changed }
        (descriptor, self.version) = (FileDescriptor(rawValue: raw), version)
        type = LibraryFile.mediaType(of: path)
        guard FileVersion(of: descriptor) == version else { throw Self.changed }
    }

    deinit { try? descriptor.close() }

    /// Up to `pieceSize` bytes of the range; throws if the file has changed. Blocks.
    func read(_ range: Range<Int64>) throws -> [UInt8] {
        let count = Int(min(range.upperBound - range.lowerBound, Int64(Self.pieceSize)))
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes {
            try descriptor.read(fromAbsoluteOffset: range.lowerBound, into: $0)
        }
        guard got > 0, FileVersion(of: descriptor) == version else { throw Self.changed }
        return got == count ? bytes : Array(bytes[..<got])
    }
}

/// A Range header against the size of a file (RFC 9110, section 14.2).
enum MediaRange: Equatable, Sendable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable

    /// - Parameter header: nil: none was sent. Other units than bytes are ignored, as the RFC says; several ranges are
    ///   refused, since players send one.
    init(_ header: String?, size: Int64) {
        guard let header, header.lowercased().hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let bounds = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        func number(_ text: Substring) -> Int64? {
            text.allSatisfy { $0.isASCII && $0.isNumber } && !text.isEmpty ? Int64(text) ?? .max : nil
        }
        self = .unsatisfiable
        guard bounds.count == 2 else { return }
        switch (number(bounds[0]), number(bounds[1])) {
        case (let first?, let last?) where first <= last && first < size:
            self = .part(first..<(last < size ? last + 1 : size))
        case (let first?, nil) where bounds[1].isEmpty && first < size: self = .part(first..<size)
        case (nil, let count?) where bounds[0].isEmpty && count > 0 && size > 0:
            self = .part(max(0, size - min(count, size))..<size)
        default: break
        }
    }
}
