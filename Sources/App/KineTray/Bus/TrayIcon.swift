// The tray's icon: its name in the icon theme, and the pixels for a desktop without that name.
import KineDesktop
import KinePlatform
import SystemPackage

enum TrayIcon {
    /// Pixels in a row and in a column.
    static let size = 22

    /// The installed directory of icon themes; nil if the icons are not installed with this program.
    static func themes(beside executable: FilePath) -> FilePath? {
        let prefix = executable.removingLastComponent().removingLastComponent().removingLastComponent()
        let themes = prefix.appending("share/icons")
        let file = themes.appending("hicolor/symbolic/apps").appending("\(name(.idle)).svg")
        return file.resolved == nil ? nil : themes
    }

    /// The name of the file in packaging/icons, without ".svg".
    static func name(_ condition: TrayState.Condition) -> String {
        condition == .idle ? "org.kinecast.Kinecast-symbolic" : "org.kinecast.Kinecast-\(condition)-symbolic"
    }

    /// StatusNotifierItem, "Icons": ARGB, 32 bits in network byte order, rows from the top.
    static func pixels(_ condition: TrayState.Condition) -> [UInt8] {
        var bytes: [UInt8] = []
        for y in 0..<size {
            for x in 0..<size { bytes += pixel(x, y, condition) }
        }
        return bytes
    }

    /// An `a(iiay)` of one image.
    static func image(_ condition: TrayState.Condition) -> BusValue {
        let bytes = BusValue.array(of: "y", pixels(condition).map(BusValue.byte))
        return .array(of: "(iiay)", [.structure([.int32(Int32(size)), .int32(Int32(size)), bytes])])
    }

    static let noImage = BusValue.array(of: "(iiay)", [])

    /// The shape's average over four by four points of the pixel.
    private static func pixel(_ x: Int, _ y: Int, _ condition: TrayState.Condition) -> [UInt8] {
        var sum: (count: Int, red: Int, green: Int, blue: Int) = (0, 0, 0, 0)
        for point in 0..<16 {
            // Eighths of a pixel from the image's middle.
            let across = 8 * x + 2 * (point % 4) + 1 - 4 * size
            let down = 8 * y + 2 * (point / 4) + 1 - 4 * size
            guard let colour = colour(across, down, condition) else { continue }
            sum.count += 1
            sum.red += colour >> 16
            sum.green += colour >> 8 & 255
            sum.blue += colour & 255
        }
        let count = max(1, sum.count)
        return [255 * sum.count / 16, sum.red / count, sum.green / count, sum.blue / count].map { UInt8($0) }
    }

    /// The colour of a point; nil: transparent. A grey ring, which is seen on dark and on light panels, and in it a dot,
    /// two bars or an exclamation mark.
    private static func colour(_ across: Int, _ down: Int, _ condition: TrayState.Condition) -> Int? {
        let distance = across * across + down * down
        if (64 * 64...80 * 80).contains(distance) { return 0x8a8a8a }
        switch condition {
        case .idle: return distance <= 24 * 24 ? 0x8a8a8a : nil
        case .recording: return distance <= 48 * 48 ? 0xe01b24 : nil
        case .paused: return (12...28).contains(abs(across)) && abs(down) <= 36 ? 0xe5a50a : nil
        case .problem:
            let isMark = abs(across) <= 8 && ((-40...12).contains(down) || (24...40).contains(down))
            return isMark ? 0xe66100 : nil
        }
    }
}
