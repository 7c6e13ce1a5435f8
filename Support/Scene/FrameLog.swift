// When each frame was on the screen, a line for each, in a file that may be read while it grows.
import Glibc
import KinePlatform
import SystemPackage

/// Lines of `frame NUMBER NANOSECONDS`: CLOCK_MONOTONIC when the X server had finished drawing. A frame that a beep goes
/// with has ` beep NANOSECONDS` behind it: when the beep was meant to be heard.
struct FrameLog {
    private let file: FileDescriptor?

    init(path: String?) throws(Errno) {
        do {
            file = try path.map {
                try FileDescriptor.open(
                    FilePath($0), .writeOnly, options: [.create, .truncate, .append], permissions: [.ownerReadWrite])
            }
        } catch let error as Errno {
            throw error
        } catch {
            throw Errno.ioError
        }
    }

    func add(frame: Int, shownAt: Int64, beepAt: Int64?) {
        guard let file else { return }
        let line = "frame \(frame) \(shownAt)" + (beepAt.map { " beep \($0)" } ?? "") + "\n"
        // A log that cannot be written leaves a gap that its reader finds; the scene itself goes on.
        _ = try? file.writeAll(line.utf8)
    }
}
