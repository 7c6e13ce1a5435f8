// The recordings that the page's library shows: where they are, and which have changed.
import KineClient
import KineMedia
import KinePlatform
import KineText
import KineWire
import Kinecast
import Synchronization
import SystemPackage

/// Any thread may call. The methods that read the disk block.
final class Library: Sendable {
    /// The directories of recordings. They may not exist.
    struct Places: Sendable {
        /// `Kinecast` in the user's directory for videos; nil: the user has no such directory.
        var videos: String?
        /// It has a directory for each app's unsaved recordings.
        var apps: String
        var trash = Trash()

        static var standard: Places {
            Places(
                videos: UserDirectories.kinecastRecordings?.escaped,
                apps: UserDirectories.data + "/kinecast/recordings")
        }

        /// All existing directories, an app's with its name.
        var directories: [(path: String, app: String?)] {
            let apps = PrivateDirectory.entries(FilePath(escaped: apps)).map { ("\(self.apps)/\($0)", Optional($0)) }
            return (videos.map { [($0, nil)] } ?? []) + apps
        }
    }

    /// The answer to a request for the list.
    struct Listing: Encodable, Sendable {
        let recordings: [RecordingModel]
        let directory: String?
        /// The newest FILE of `kinecast studio FILE`.
        let given: String?

        /// The answer for one scope: only its recordings, and the directory only if these are all recordings.
        func filtered(_ isShown: (String) -> Bool) -> Listing {
            let shown = recordings.filter { isShown($0.id) }
            return Listing(
                recordings: shown, directory: shown.count == recordings.count ? directory : nil,
                given: given.flatMap { isShown($0) ? $0 : nil })
        }
    }

    /// A recording with what was read of it.
    struct Entry: Sendable {
        let file: LibraryFile
        let version: FileVersion
        let content: FileContent
        let isWritten: Bool

        var model: RecordingModel { RecordingModel(file, version, content, isWritten: isWritten) }

        /// The recording's length. Throws if it is not finished, or is another program's.
        func finished() throws(StudioProblem) -> MediaTime {
            try checkPlays()
            guard let finished = content.finished else { throw .foreign }
            return finished.duration
        }

        /// Throws if no player can be expected to play the file.
        func checkPlays() throws(StudioProblem) {
            if isWritten { throw .beingRecorded }
            guard content.finished != nil || content == .summary(.foreign) else { throw .unreadable }
        }
    }

    private struct State {
        /// By path, what was read of the files that were listed last.
        var contents: [String: (version: FileVersion, content: FileContent)] = [:]
        /// By ID, all files that were listed last.
        var files: [String: LibraryFile] = [:]
        var given: [String] = []
        /// Files of running takes, with symbolic links resolved.
        var written: Set<String> = []
        var changes = 0
    }

    private static let mostGiven = 32

    let places: Places
    let editor: RecordingEditor
    let dialog: FileDialog
    /// Recordings that pages play: a page has one or two players.
    let media = Tokens<OpenedRecording>(most: 64)
    let images = LibraryImages()
    /// Deleted recordings that a page can bring back.
    let undo = Tokens<Deleted>(most: 100)
    /// Engines' requests, one at a time.
    let turns = Turns()
    let changes = Turns()
    private let state = Mutex(State())

    init(
        _ places: Places = .standard, _ editor: RecordingEditor = RecordingEditor(), _ dialog: FileDialog = FileDialog()
    ) {
        (self.places, self.editor, self.dialog) = (places, editor, dialog)
    }

    /// Sets which files takes are writing. Returns whether these have changed.
    func setWritten(_ files: [String]) -> Bool {
        let written = Set(files.map { FilePath(escaped: $0).resolved?.escaped ?? $0 })
        return state.withLock { state in
            defer { state.written = written }
            return state.written != written
        }
    }

    /// Counts the changes of the list.
    func nextChange() -> Int {
        state.withLock { state in
            state.changes += 1
            return state.changes
        }
    }

    /// A token for the address of a recording's bytes.
    func open(_ id: String) async throws -> RandomToken {
        let entry = try await blocking { library in try library.entry(id) }
        try entry.checkPlays()
        return media.add(OpenedRecording(path: entry.file.path, version: entry.version))
    }

    /// Adds a FILE. Returns its path without symbolic links.
    ///
    /// - Parameter path: absolute, in the form of `String(escaping:)`.
    @discardableResult
    func give(_ path: String) -> String {
        let path = FilePath(escaped: path).resolved?.escaped ?? path
        state.withLock { state in
            state.given.removeAll { $0 == path }
            state.given = Array((state.given + [path]).suffix(Self.mostGiven))
        }
        return path
    }

    /// The ID of a file that a take has made. One elsewhere than in the directories is added as a FILE.
    func add(_ made: String) -> String {
        let path = FilePath(escaped: made).resolved?.escaped ?? made
        let directory = FilePath(escaped: path).removingLastComponent()
        let isListed =
            Self.isRecording(path) && places.directories.contains { FilePath(escaped: $0.path).resolved == directory }
        if !isListed { give(path) }
        return LibraryFile.id(of: path)
    }

    /// All recordings, unordered. Reads only files that have changed since the last listing.
    func listing() -> Listing {
        let entries = scan()
        let last = state.withLock { $0.given.last }.map(LibraryFile.id)
        return Listing(
            recordings: entries.map(\.model), directory: places.videos,
            given: entries.first { $0.file.id == last }?.file.id)
    }

    /// The recording with that ID as it is on the disk.
    func entry(_ id: String) throws(StudioProblem) -> Entry {
        if state.withLock({ $0.files[id] }) == nil { scan() }
        guard let file = state.withLock({ $0.files[id] }), let version = FileVersion(of: file.path) else { throw .gone }
        return entries([(file, version)])[0]
    }

    /// The recording at a path that a change has made.
    func entry(at path: String, like file: LibraryFile, in place: RecordingModel.Place? = nil) throws -> Entry {
        let place = place ?? file.place
        let new = LibraryFile(path: path, place: place, app: place == .app ? file.app : nil)
        guard let version = FileVersion(of: path) else { throw StudioProblem.gone }
        state.withLock { state in
            state.files[new.id] = new
            if let index = state.given.firstIndex(of: file.path), place == .given { state.given[index] = path }
        }
        return entries([(new, version)])[0]
    }

    /// The directories that have to be watched: those of recordings, and those in which such directories appear.
    var watchedDirectories: Set<String> {
        let given = state.withLock { $0.given }.map { FilePath(escaped: $0).removingLastComponent().escaped }
        let parents = places.videos.map { [FilePath(escaped: $0).removingLastComponent().escaped] } ?? []
        return Set(places.directories.map(\.path) + [places.apps] + parents + given)
    }

    /// The files with their contents. One engine reads all files that have changed since their last reading.
    private func entries(_ files: [(file: LibraryFile, version: FileVersion)]) -> [Entry] {
        let (known, written) = state.withLock { ($0.contents, $0.written) }
        let unread = files.filter { file, version in
            known[file.path]?.version != version && !written.contains(file.path) && !file.isNamedForeign
        }
        var read: [String: FileContent] = [:]
        do throws(ClientError) {
            let contents = try editor.contents(of: unread.map(\.file.path))
            for ((file, version), content) in zip(unread, contents) {
                read[file.path] = content
                state.withLock { $0.contents[file.path] = (version, content) }
            }
        } catch {
            for (file, _) in unread { read[file.path] = .unreadable(error.description) }
        }
        return files.map { file, version in
            let old = known[file.path].flatMap { $0.version == version ? $0.content : nil }
            let new: FileContent? = file.isNamedForeign ? .summary(.foreign) : read[file.path]
            // A file that is written grows with each look.
            return Entry(
                file: file, version: version, content: old ?? new ?? .summary(.unfinished),
                isWritten: written.contains(file.path))
        }
    }

    static func isRecording(_ name: String) -> Bool { name.lowercased().hasSuffix(".mp4") }

    /// Reads the directories.
    @discardableResult
    func scan() -> [Entry] {
        var files: [String: LibraryFile] = [:]
        for (directory, app) in places.directories {
            let path = FilePath(escaped: directory).resolved?.escaped ?? directory
            for name in PrivateDirectory.entries(FilePath(escaped: path))
            where !name.hasPrefix(".") && (app == nil ? LibraryFile.ending(of: name) != nil : Self.isRecording(name)) {
                let file = LibraryFile(path: "\(path)/\(name)", place: app == nil ? .videos : .app, app: app)
                files[file.id] = file
            }
        }
        for path in state.withLock({ $0.given }) where files[LibraryFile.id(of: path)] == nil {
            let file = LibraryFile(path: path, place: .given, app: nil)
            files[file.id] = file
        }
        let entries = entries(files.values.compactMap { file in FileVersion(of: file.path).map { (file, $0) } })
        let paths = Set(entries.map(\.file.path))
        state.withLock { state in
            state.files = files
            state.contents = state.contents.filter { paths.contains($0.key) }
        }
        return entries
    }
}
