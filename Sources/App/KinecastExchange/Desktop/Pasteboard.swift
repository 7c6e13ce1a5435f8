// Texts that the members of a group pass to each other over the person's clipboard.
import KineWire

/// The person's clipboard, for the members of a group: an app and its extensions, whose manifests name the group.
///
/// A text that is put here can be pasted into any program. Only what a member of the group has put here is read, and nothing of what
/// the person copies elsewhere. This keeps honest programs apart: a program of the same user that talks to the display can read
/// every clipboard and pass itself off as a member.
///
/// The clipboard is that of the Wayland compositor in WAYLAND_DISPLAY, if it lets programs without a window use it, else that of the X
/// display in DISPLAY. The text goes with the engine's process or the app's, unless a clipboard manager keeps it.
public struct Pasteboard: Sendable, Equatable {
    public struct Error: Swift.Error, Sendable, Equatable, CustomStringConvertible {
        public enum Code: Sendable, Equatable {
            /// There is no display with a clipboard, or the engine is too old.
            case unavailable
            /// The manifest of this app or extension does not name the group.
            case notMember
            /// The text is too long.
            case tooLong
            /// An extension may change the clipboard ten times at once, then once a second. Or 64 requests are not answered yet.
            case tooMany
            case failed
        }

        public var code: Code
        /// One sentence: what happened, and what to do.
        public var description: String
    }

    /// The most bytes of a text, in UTF-8.
    public static let textLimit = PasteboardText.limit

    /// The group's identifier.
    public let group: String

    public init(group: String) { self.group = group }

    /// Puts a text on the clipboard, in place of what was there.
    public func setText(_ text: String) async throws(Error) { try await setText(text, .shared) }

    func setText(_ text: String, _ channel: DesktopChannel) async throws(Error) {
        guard text.utf8.count <= Self.textLimit else {
            throw Error(
                code: .tooLong,
                description:
                    "The clipboard takes texts of up to \(Self.textLimit >> 10) KiB; pass it in the group container.")
        }
        _ = try await perform(.setText(PasteboardText(text), group: group), channel)
    }

    /// The text that a member of the group has put on the clipboard; nil where it has something else, or nothing.
    public func text() async throws(Error) -> String? { try await text(.shared) }

    func text(_ channel: DesktopChannel) async throws(Error) -> String? {
        try await perform(.text(group: group), channel)
    }

    private func perform(_ task: DesktopTask, _ channel: DesktopChannel) async throws(Error) -> String? {
        do throws(DesktopFailure) {
            return try await channel.perform(task)?.text
        } catch {
            let code: Error.Code =
                switch error.code {
                case .unavailable: .unavailable
                case .notMember: .notMember
                case .invalid: .tooLong
                case .tooMany: .tooMany
                case .personTold, .failed: .failed
                }
            throw Error(code: code, description: error.message)
        }
    }
}
