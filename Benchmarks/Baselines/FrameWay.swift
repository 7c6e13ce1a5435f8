// What the ways of bringing a frame to another process have in common. Each is written as its models are, with the passes
// over memory that these make; where a pass belongs to Apple's formats only, it is left out, to the way's advantage.
import ArgumentParser
import KineMedia

/// The ways that screens are shared today between an upload extension and its app.
enum FrameWay: String, CaseIterable, ExpressibleByArgument {
    /// Raw 4:2:0 of 960×540 over TCP on the loopback interface.
    case loopback
    /// The same frame as a value in a property list that both processes know, with a notification.
    case defaults
    /// The whole frame as JPEG over a unix socket.
    case jpeg

    /// The frame that the first two ways send, whatever the screen's size.
    static let smallSize = PixelSize(width: 960, height: 540)

    /// - Parameters:
    ///   - address: what the receiver said.
    ///   - size: of the frames that will be sent.
    func makeSender(address: String, size: PixelSize) throws -> any FrameSender {
        switch self {
        case .loopback: try LoopbackSender(port: address)
        case .defaults: DefaultsSender(folder: address)
        case .jpeg: try JPEGSender(path: address, size: size)
        }
    }

    /// - Parameter folder: for sockets and files; emptied by its owner.
    func makeReceiver(folder: String) throws -> any FrameReceiver {
        switch self {
        case .loopback: try LoopbackReceiver()
        case .defaults: try DefaultsReceiver(folder: folder)
        case .jpeg: try JPEGReceiver(path: folder + "/frames.sock")
        }
    }
}

/// The extension's end.
protocol FrameSender: AnyObject {
    /// Bytes written so far, by this process and by the kernel for it.
    var movedBytes: Int { get }
    /// Brings one frame on its way. `stamp` travels with it: when it was handed to the sender, in nanoseconds of
    /// CLOCK_MONOTONIC, never 0.
    func send(_ frame: PlanarFrame, stamp: Int64) throws
    /// Tells the receiver that no frame will follow.
    func finish() throws
}

/// The app's end.
protocol FrameReceiver: AnyObject {
    /// What a sender has to know.
    var address: String { get }
    var movedBytes: Int { get }
    /// Waits for the next frame and gives it to `handler` as a frame; false after the last. The frame lasts as long as
    /// the call.
    func receive(_ handler: (_ frame: PlanarFrame, _ stamp: Int64) -> Void) throws -> Bool
}
