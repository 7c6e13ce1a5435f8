// Excerpts of recordings, and sharing them: work that takes long.
import FoundationEssentials
import Glibc
import KineContainers
import KineDesktop
import KineMedia
import KineText
import KineWire
import Kinecast
import SystemPackage

/// An excerpt, as a page asks for it. Times are seconds.
struct Excerpt: Decodable, Sendable {
    var from: Double
    var to: Double
    /// The name of the new recording, or the one that the dialog proposes; ignored with `replaces`.
    var name: String?
    /// The title of the desktop's own file dialog, in which the person chooses the place; ignored with `replaces`.
    var dialog: String?
    /// Whether the excerpt gets the recording's name, and the recording goes to the trash.
    var replaces: Bool?

    var asks: Bool { dialog != nil && replaces != true }
}

/// A film, as a page asks for it.
struct Film: Decodable, Sendable {
    /// Of the new recording.
    var name: String
    /// Whether it zooms in where something happens.
    var zooms: Bool
    /// Whether it leaves out the time in which nothing happens.
    var tightens: Bool
    var shape: FilmEdits.Shape?
}

/// A way to share a recording, as a page asks for it.
struct Sharing: Decodable, Sendable {
    var activity: UsualActivity
    /// For `upload`.
    var address: String?
    /// Whether the recording is shared without its input track.
    var withoutInput: Bool?
}

extension Library {
    /// Begins to write an excerpt. Returns the job's ID.
    ///
    /// - Parameter changed: called when the list of recordings has changed.
    func trim(
        _ id: String, _ excerpt: Excerpt, _ jobs: Jobs, changed: @escaping @Sendable () -> Void
    ) async throws -> String {
        let (entry, request) = try await blocking { library in try library.plan(excerpt, of: id) }
        return try jobs.start(.trim, of: id) { [self] fraction in
            var request = request
            if excerpt.asks {
                let (path, isReplaced) = try await askForPlace(of: excerpt)
                (request.output, request.overwrite) = (path, isReplaced)
            }
            _ = try await editor.trim(request, progress: fraction)
            defer { changed() }
            // A file that was replaced is gone already.
            if Task.isCancelled, request.overwrite != true {
                unlink(request.output.cString)
                throw StudioProblem.cancelled
            }
            let output = request.output
            guard excerpt.replaces == true else { return try await blocking { library in library.add(output) } }
            return try await change { library in try library.replace(entry, output) }
        }
    }

    /// Begins to make a film. Returns the job's ID.
    ///
    /// - Parameter changed: called when the list of recordings has changed.
    func film(
        _ id: String, _ film: Film, _ jobs: Jobs, changed: @escaping @Sendable () -> Void
    ) async throws -> String {
        let (entry, output) = try await blocking { library in
            (try library.entry(id), try library.newPath(named: film.name))
        }
        try entry.checkPlays()
        var edits = FilmEdits()
        edits.shape = film.shape
        let request = ExportRequest(
            input: entry.file.path, output: output, edits: edits, zooms: film.zooms, tightens: film.tightens,
            ifTaken: .refuse)
        return try jobs.start(.film, of: id) { [self] fraction in
            _ = try await editor.export(request, progress: fraction)
            defer { changed() }
            if Task.isCancelled {
                unlink(output.cString)
                throw StudioProblem.cancelled
            }
            return try await blocking { library in library.add(output) }
        }
    }

    /// The recording, and the request for an excerpt of it. Throws if the times or the name cannot be.
    func plan(_ excerpt: Excerpt, of id: String) throws -> (Entry, TrimRequest) {
        let entry = try entry(id)
        let (start, end) = (try entry.time(excerpt.from), try entry.time(excerpt.to))
        guard start < end else {
            throw StudioProblem(
                .badRequest, "The excerpt ends before it begins; let its end be later than its start.")
        }
        let directory = FilePath(escaped: entry.file.path).removingLastComponent().escaped
        let name = excerpt.name ?? ""
        let output =
            excerpt.replaces == true
            ? DiskFile.temporaryPath(in: directory)
            : excerpt.asks ? try Self.fileName(name) : try newPath(named: name)
        return (entry, TrimRequest(input: entry.file.path, output: output, start: start, end: end))
    }

    /// Shows the desktop's file dialog. Returns the path, and whether a file there is replaced.
    func askForPlace(of excerpt: Excerpt) async throws -> (String, Bool) {
        let request = SaveDialogRequest(
            title: excerpt.dialog?.printable(limit: 200) ?? "", name: try Self.fileName(excerpt.name ?? ""),
            directory: places.videos)
        let path = try await dialog.choose(request)
        // The dialog has asked about the name that was typed, and only if a file had it.
        return Self.isRecording(path) ? (path, access(path.cString, F_OK) == 0) : (path + ".mp4", false)
    }

    /// Moves the recording to the trash and gives its name to the file at `path`. If this throws, the recording is where
    /// it was.
    private func replace(_ entry: Entry, _ path: String) throws -> String {
        do {
            guard FileVersion(of: entry.file.path) == entry.version else { throw MediaFile.changed }
            let trashed = try places.trash.move(entry.file.path)
            do { try DiskFile.move(path, to: entry.file.path) } catch {
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
    func share(_ id: String, _ sharing: Sharing, _ jobs: Jobs) async throws -> String {
        let activity = try sharing.activity.make(to: sharing.address)
        let entry = try await blocking { library in try library.entry(id) }
        try entry.checkPlays()
        return try jobs.start(.share, of: id) { [self] fraction in
            let leavesInputOut = sharing.withoutInput == true && entry.content.finished?.hasInput == true
            let path = leavesInputOut ? try await copyWithoutInput(entry) : entry.file.path
            // Other programs read the file later.
            let isReadNow = [.copy, .upload].contains(sharing.activity)
            defer { if leavesInputOut, isReadNow { SharedCopies.remove(path) } }
            _ = try await activity.perform(with: SharedRecording(URL(filePath: path))) { fraction($0.fraction) }
            return nil
        }
    }

    /// Writes the recording without its input track under the same name, in a directory of its own. Returns the path.
    private func copyWithoutInput(_ entry: Entry) async throws -> String {
        let copy = try await blocking { _ in try SharedCopies.place(named: entry.file.name) }
        do {
            _ = try await editor.trim(
                TrimRequest(input: entry.file.path, output: copy, start: nil, end: nil, leavesInputOut: true)
            ) { _ in }
        } catch {
            SharedCopies.remove(copy)
            throw error
        }
        return copy
    }

    /// Shows the recording's file in the desktop's file manager. Where none is on the bus, opens the directory.
    func reveal(_ id: String) async throws {
        let unshown = try await blocking { (library) -> FilePath? in
            let path = try library.entry(id).file.path
            return FolderWindow.show(path, bus: library.dialog.bus) ? nil : FilePath(escaped: path)
        }
        guard let directory = unshown?.removingLastComponent().escaped else { return }
        _ = try await OpenActivity().perform(with: SharedRecording(URL(filePath: directory))) { _ in }
    }
}
