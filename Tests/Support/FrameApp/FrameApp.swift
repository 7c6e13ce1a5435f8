// An app that says which samples an extension passes on to it.
//
//   kinecast-frame-app GROUP [MILLISECONDS]    keeps each frame for so long
import Glibc
import KinecastExchange
import SystemPackage

@main
enum FrameApp {
    static func main() async {
        let words = CommandLine.arguments
        let pause = words.count > 2 ? UInt32(words[2]) ?? 0 : 0
        do {
            let group = try GroupContainer(identifier: words[1])
            let receiver = try FrameReceiver(group: group) { sample, type in
                guard type == .video else {
                    return say("\(type) \(sample.presentationTime.nanoseconds) \(sample.byteCount)")
                }
                let sum = sample.withPixels { pixels in
                    pixels[plane: 0].row(pixels.visibleSize.height / 2).withUnsafeBufferPointer { row in
                        row.reduce(UInt64(0)) { $0 &* 31 &+ UInt64($1) }
                    }
                }
                if pause > 0 { usleep(pause * 1000) }
                say("frame \(sample.presentationTime.nanoseconds) \(sum ?? 0) \(sample.isDiscontinuity)")
            }
            say("ready")
            for await event in receiver.events {
                say("\(event) \(receiver.counts.framesLost)")
            }
        } catch {
            say("failed: \(error)")
            exit(1)
        }
    }
}

/// Writes a line at once.
func say(_ line: some Any) { _ = try? FileDescriptor.standardOutput.writeAll("\(line)\n".utf8) }
