// Places of the pointer that another program notes in a take's input track.
import KineMedia

/// The reasons why no place of the pointer is noted.
package enum NotePointerError: Error {
    case noTrack, outside, paused

    package var message: String {
        switch self {
        case .noTrack:
            "The take records no input track, in which a place could be noted; record a screen or a window with it."
        case .outside: "The picture does not show that place; give a pixel of the recorded screen that is in it."
        case .paused: "The take is paused, so that nothing is noted; resume it first."
        }
    }
}

extension Take {
    /// Notes in the input track that the pointer is at a pixel of the recorded screen, and with `isClick` a click there.
    ///
    /// - Parameter instant: nanoseconds of CLOCK_MONOTONIC.
    package func note(pointer place: PixelPoint, isClick: Bool, at instant: Int64) throws(NotePointerError) {
        guard configuration.recordsInput else { throw .noTrack }
        guard capture.note(pointer: place, isClick: isClick, at: instant) else { throw .outside }
    }
}
