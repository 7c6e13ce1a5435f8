// Excerpts of recordings, and sharing them: work that takes long.
import FoundationEssentials
import Glibc
import KineClient
import KineContainers
import KineMedia
import KinePlatform
import KineWire
import Kinecast
import SystemPackage

/// An excerpt, as a page asks for it. Times are seconds.
struct Excerpt: Decodable, Sendable {
    var from: Double
    var to: Double
    /// The name of the new recording; ignored with `replaces`.
    var name: String?
    /// Whether the excerpt gets the recording's name, and the recording goes to the trash.
    var replaces: Bool?
}

/// A way to share a recording, as a page asks for it.
struct Sharing: Decodable, Sendable {
    enum Activity: String, CaseIterable, Decodable, Sendable { case copy, open, email, upload }

    /// A way to share that a page offers.
    struct Offer: Encodable, Sendable {
        let id: String
        let title: String
        let takesAddress: Bool
    }

    var activity: Activity
    /// For `upload`.
    var address: String?

    static let offers = [
        Offer(id: "copy", title: SaveToVideosActivity().title, takesAddress: false),
        Offer(id: "open", title: OpenActivity().title, takesAddress: false),
        Offer(id: "email", title: EmailActivity().title, takesAddress: false),
        Offer(id: "upload", title: "Upload", takesAddress: true),
    ]

    func share() throws(LibraryProblem) -> any ShareActivity {
        switch activity {
        case .copy: return SaveToVideosActivity()
        case .open: return OpenActivity()
        case .email: return EmailActivity()
        case .upload:
            guard let address = address.flatMap({ URL(string: $0) }), address.host?.isEmpty == false,
                ["https", "http"].contains(address.scheme?.lowercased())
            else {
                throw LibraryProblem(
                    .badRequest, "An upload needs an https address, such as https://example.org/recording.mp4.")
            }
            return UploadActivity(to: address)
        }
    }
}

extension Library {
    /// Begins to write an excerpt. Returns the job's ID.
    ///
    /// - Parameter changed: called when the list of recordings has changed.
    func trim(
        _ id: String, _ excerpt: Excerpt, _ jobs: Jobs, changed: @escaping @Sendable () -> Void
    ) async throws(LibraryProblem) -> String {
        let (entry, request) = try await blocking { library throws(LibraryProblem) in
            let entry = try library.entry(id)
            let range = (try entry.time(excerpt.from), try entry.time(excerpt.to))
            guard range.0 < range.1 else {
                throw LibraryProblem(
                    .badRequest, "The excerpt ends before it begins; let its end be later than its start.")
            }
            let output = try library.output(of: excerpt, entry)
            return (
                entry, TrimRequest(input: entry.file.path, output: output, start: range.0, end: range.1)
            )
        }
        return try jobs.start(.trim, of: id) { [self] _ throws(LibraryProblem) in
            do throws(ClientError) { _ = try await editor.trim(request) } catch { throw LibraryProblem(error) }
            defer { changed() }
            if Task.isCancelled {
                unlink(request.output.cString)
                throw .cancelled
            }
            guard excerpt.replaces == true else {
                return try await blocking { library throws(LibraryProblem) in
                    try library.entry(at: request.output, like: entry.file, in: .videos).file.id
                }
            }
            return try await change { library throws(LibraryProblem) in try library.replace(entry, request.output) }
        }
    }

    private func output(of excerpt: Excerpt, _ entry: Entry) throws(LibraryProblem) -> String {
        if excerpt.replaces == true {
            let directory = FilePath(escaped: entry.file.path).removingLastComponent().escaped
            return DiskFile.temporaryPath(in: directory)
        }
        let name = try Self.fileName(excerpt.name ?? "")
        let output = try videosDirectory() + "/" + name
        try Self.storing { () throws(StorageError) in try DiskFile.checkTarget(output, ifTaken: .refuse) }
        return output
    }

    /// Moves the recording to the trash and gives its name to the file at `path`. If this throws, the recording is where
    /// it was.
    private func replace(_ entry: Entry, _ path: String) throws(LibraryProblem) -> String {
        do throws(LibraryProblem) {
            guard FileVersion(of: entry.file.path) == entry.version else { throw MediaFile.changed }
            let trashed = try trash(entry)
            do throws(LibraryProblem) {
                try Self.storing { () throws(StorageError) in try DiskFile.move(path, to: entry.file.path) }
            } catch {
                try? places.trash.restore(trashed)
                throw error
            }
            return entry.file.id
        } catch {
            unlink(path.cString)
            throw error
        }
    }

    /// Begins to share a recording. Returns the job's ID.
    func share(_ id: String, _ sharing: Sharing, _ jobs: Jobs) async throws(LibraryProblem) -> String {
        let activity = try sharing.share()
        let path = try await blocking { library throws(LibraryProblem) in
            let entry = try library.entry(id)
            _ = try entry.finished()
            return entry.file.path
        }
        return try jobs.start(.share, of: id) { fraction throws(LibraryProblem) in
            let result: ShareResult
            do throws(RecordingError) {
                let preview = try await RecordingPreview.open(URL(filePath: path))
                result = try await Self.share(preview, activity, fraction)
            } catch {
                throw LibraryProblem(error)
            }
            if case .cancelled = result { throw .cancelled }
            return nil
        }
    }

    private static func share(
        _ preview: RecordingPreview, _ activity: some ShareActivity, _ fraction: @escaping @Sendable (Double) -> Void
    ) async throws(RecordingError) -> ShareResult {
        try await preview.share(via: activity) { fraction($0.fraction) }
    }
}
