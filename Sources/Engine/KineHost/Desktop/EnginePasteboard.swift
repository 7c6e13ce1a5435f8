// The clipboard for apps and extensions: each reads only texts that a member of its group has put there.
import KinePasteboard
import KinePlatform
import KineWire
import SystemPackage

/// Used by the main thread. Connects to the display when first needed.
final class EnginePasteboard {
    private let variable: (String) -> String?
    private var clipboard: Clipboard?

    /// - Parameter variable: returns a variable's value.
    init(variable: @escaping (String) -> String? = ProcessEnvironment.value) { self.variable = variable }

    /// `answer` is called on any thread.
    func set(
        _ text: PasteboardText, group: String, answer: @escaping @Sendable (DesktopFailure?) -> Void
    ) throws(DesktopFailure) {
        guard text.byteCount <= PasteboardText.limit else { throw Self.tooLong }
        try opened().own(ClipboardText(text.text, group: group)) { result in
            if case .failure(let error) = result { answer(Self.failure(error)) } else { answer(nil) }
        }
    }

    /// Reads the group's text; nil if the clipboard has other contents.
    func read(
        group: String, answer: @escaping @Sendable (Result<PasteboardText?, DesktopFailure>) -> Void
    ) throws(DesktopFailure) {
        try opened().read { result in
            switch result {
            case .failure(let error): answer(.failure(Self.failure(error)))
            case .success(let found?) where found.group == group:
                let text = PasteboardText(found.text)
                answer(text.byteCount > PasteboardText.limit ? .failure(Self.tooLong) : .success(text))
            case .success: answer(.success(nil))
            }
        }
    }

    func end(until deadline: Int64) { clipboard?.end(until: deadline) }

    private func opened() throws(DesktopFailure) -> Clipboard {
        if let clipboard {
            guard clipboard.isOver else { return clipboard }
            clipboard.end(until: 0)
        }
        // Xwayland has the compositor's clipboard only while one of its windows has the focus.
        let places = [
            variable("WAYLAND_DISPLAY").map { Clipboard.Place.wayland(display: $0) },
            variable("DISPLAY").map { Clipboard.Place.x11(display: $0) },
        ].compactMap(\.self)
        guard !places.isEmpty else {
            throw DesktopFailure(
                .unavailable,
                "There is no display, so there is no clipboard; set DISPLAY or WAYLAND_DISPLAY, or pass the text in the group "
                    + "container.")
        }
        do throws(Errno) {
            let new = try Clipboard(places)
            clipboard = new
            return new
        } catch {
            throw DesktopFailure(.failed, DedicatedThread.explanation(of: error, thread: "clipboard"))
        }
    }

    private static let tooLong = DesktopFailure(
        .invalid,
        "The clipboard takes texts of up to \(PasteboardText.limit >> 10) KiB; pass it in the group container.")

    private static func failure(_ error: Clipboard.Error) -> DesktopFailure {
        switch error {
        case .noConnection(.x11(let display)):
            DesktopFailure(.unavailable, "The display \(display) does not answer; check DISPLAY and XAUTHORITY.")
        case .noConnection(.wayland(let display)):
            DesktopFailure(
                .unavailable, "The compositor \(display) does not answer; check WAYLAND_DISPLAY and XDG_RUNTIME_DIR.")
        case .notSupported:
            DesktopFailure(
                .unavailable,
                "The compositor lets only windows use the clipboard; set DISPLAY to its Xwayland, or pass the text in the "
                    + "group container.")
        case .noLibrary:
            DesktopFailure(
                .unavailable,
                "The library libwayland-client is not installed; install libwayland-client0, or set DISPLAY to the Xwayland."
            )
        case .notOwned:
            DesktopFailure(.failed, "Another program took the clipboard at the same moment; try again.")
        case .noAnswer:
            DesktopFailure(.failed, "The program that has the clipboard does not answer; copy the text again.")
        case .tooLong: tooLong
        case .ended:
            DesktopFailure(.unavailable, "Kinecast is ending, so the clipboard cannot be used; start it again.")
        }
    }
}
