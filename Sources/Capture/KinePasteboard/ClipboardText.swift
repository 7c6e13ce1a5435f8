// A text on the clipboard, in the form for members of a group.

/// A text on the clipboard, and the group whose members may read it.
public struct ClipboardText: Sendable, Equatable {
    public var text: String
    /// The group's identifier, without line breaks.
    public var group: String

    public init(_ text: String, group: String) {
        self.text = text
        self.group = group
    }
}

/// A text that this process offers, in all its forms. All transfers share the bytes.
struct OfferedText {
    let text: ClipboardText
    let utf8: [UInt8]
    /// As `ClipboardText.grouped`.
    let grouped: [UInt8]

    init(_ text: ClipboardText) {
        self.text = text
        utf8 = Array(text.text.utf8)
        grouped = text.grouped
    }
}

extension ClipboardText {
    /// The most bytes of `grouped`: the text, and the group before it.
    static let groupedLimit = Clipboard.textLimit + 1024

    /// The group's identifier, a line feed and the text: the contents of `Clipboard.groupType`.
    var grouped: [UInt8] { Array("\(group)\n".utf8) + text.utf8 }

    /// Nil if the bytes are something else.
    init?(grouped bytes: [UInt8]) {
        guard let end = bytes.firstIndex(of: 0x0a), end <= 100,
            let group = String(validating: bytes[..<end], as: UTF8.self),
            let text = String(validating: bytes[(end + 1)...], as: UTF8.self), !group.isEmpty
        else { return nil }
        self.init(text, group: group)
    }
}
