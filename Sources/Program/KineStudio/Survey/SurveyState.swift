// The monitors and windows that a page offers, with their newest pictures. Pure.
import FoundationEssentials
import KineMedia
import KineWire

struct SurveyState: Sendable {
    /// A monitor or window as pages show it.
    struct Choice: Encodable, Equatable, Sendable {
        /// The option of `kinecast record`, and its value.
        let source: RecordingChoice.Source
        let name: String
        let title: String
        let application: String?
        /// Its name for a person, as a take of it has.
        let description: String
        let width: Int
        let height: Int
        /// The number of the picture, for /api/pictures/; absent until there is one.
        let picture: Int?
    }

    /// The chosen camera as pages show it.
    struct Camera: Encodable, Equatable, Sendable {
        /// As in `Choice`.
        var picture: Int?
        /// The size of the camera's own frames.
        var width: Int?
        var height: Int?
        var problem: String?
    }

    private var list = SourceList()
    private var camera: (number: Int, jpeg: [UInt8])?
    private var pictures: [SurveyPicture.Subject: (number: Int, jpeg: [UInt8])] = [:]
    /// Pictures that a page may still be loading.
    private var retired: [(number: Int, jpeg: [UInt8])] = []
    private static let mostRetired = 32
    /// The number of the newest picture; 0: there was none.
    private(set) var lastPicture = 0
    /// While the screen is locked there are no pictures: windows may show what the lock hides.
    var isLocked = false {
        didSet { if isLocked { (pictures, retired, camera) = ([:], [], nil) } }
    }

    mutating func update(_ list: SourceList) {
        self.list = list
        let subjects = Set(
            list.monitors.map { SurveyPicture.Subject.monitor($0.name) } + list.windows.map { .window($0.id) })
        for (subject, picture) in pictures where !subjects.contains(subject) { retire(picture) }
        pictures = pictures.filter { subjects.contains($0.key) }
    }

    mutating func update(_ picture: SurveyPicture) {
        if let old = pictures[picture.subject] { retire(old) }
        pictures[picture.subject] = numbered(picture.jpeg)
    }

    mutating func update(_ camera: SurveyCamera) -> Camera {
        if let old = self.camera { retire(old) }
        self.camera = camera.jpeg.map { numbered($0) }
        return Camera(
            picture: self.camera?.number, width: camera.size?.width, height: camera.size?.height,
            problem: camera.problem)
    }

    private mutating func numbered(_ jpeg: Data) -> (number: Int, jpeg: [UInt8]) {
        lastPicture += 1
        return (lastPicture, Array(jpeg))
    }

    /// A JPEG file; nil if it is not kept any more, or was never there.
    func picture(_ number: Int) -> [UInt8]? {
        (pictures.values + retired + [camera].compactMap(\.self)).first { $0.number == number }?.jpeg
    }

    private mutating func retire(_ picture: (number: Int, jpeg: [UInt8])) {
        if retired.count == Self.mostRetired { retired.removeFirst() }
        retired.append(picture)
    }

    var choices: [Choice] {
        list.monitors.map { monitor in
            Choice(
                source: .monitor, name: monitor.name, title: monitor.name, application: nil,
                description: TakeConfiguration.Source.screen(monitor: monitor.name).name(on: list.monitors),
                width: monitor.bounds.width, height: monitor.bounds.height,
                picture: pictures[.monitor(monitor.name)]?.number)
        }
            + list.windows.map { window in
                Choice(
                    source: .window, name: "0x\(String(window.id, radix: 16))",
                    title: window.title.isEmpty ? window.application : window.title, application: window.application,
                    description: window.description ?? window.title,
                    width: window.bounds.width, height: window.bounds.height,
                    picture: pictures[.window(window.id)]?.number)
            }
    }
}
