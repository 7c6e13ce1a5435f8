// Files with secrets, which are used only if no other user can read or change them.
import Glibc
import KinePlatform
import KineProgram
import SystemPackage

/// A small text file that only its owner may read and change.
package struct PrivateFile {
    /// The most bytes to read.
    package static let limit = 64 * 1024

    package let path: FilePath
    /// The option that named it, for a sentence: "--to-file".
    package let name: String
    /// The kind of secrets in it, for a sentence.
    package let content: String
    /// Whether to accept files of root that only root and a group can read.
    package let allowsSystemFiles: Bool

    package init(
        path: FilePath, name: String, content: String = "stream keys", allowsSystemFiles: Bool = false
    ) {
        (self.path, self.name) = (path, name)
        (self.content, self.allowsSystemFiles) = (content, allowsSystemFiles)
    }

    /// The lines that are neither empty nor begin with `#`, trimmed, with their numbers from 1. Nil if there is no such
    /// file.
    package func lines() throws(CommandFailure) -> [(number: Int, text: String)]? {
        guard let text = try text() else { return nil }
        return Self.lines(of: text)
    }

    package static func lines(of text: String) -> [(number: Int, text: String)] {
        // "\r\n" is one character and a line end.
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return zip(1..., lines).compactMap { number, line in
            let trimmed = String(line).trimmed
            return trimmed.isEmpty || trimmed.hasPrefix("#") ? nil : (number, trimmed)
        }
    }

    /// Reads standard input to its end. The process that connected it is responsible for its permissions.
    package static func standardInput() throws(CommandFailure) -> String {
        let bytes: [UInt8]
        do {
            bytes = try FileDescriptor.standardInput.readToEnd(atMost: limit + 1)
        } catch {
            throw CommandFailure.usage(
                "Standard input, named by --to-file -, cannot be read: \(error); pipe the addresses into it.")
        }
        return try text(bytes, named: "standard input")
    }

    /// The file's bytes, at most `limit` + 1. Throws a `CommandFailure` if others may read or change it, else the
    /// system's error.
    package func bytes() throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            try check(file)
            return try file.readToEnd(atMost: Self.limit + 1)
        }
    }

    /// Throws if others may read or change the file. A file that cannot be opened is reported by its later reader.
    package func check() throws(CommandFailure) {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking]) else {
            return
        }
        defer { try? file.close() }
        do {
            try check(file)
        } catch {
            if let failure = error as? CommandFailure { throw failure }
        }
    }

    /// Nil if there is no such file.
    package func text() throws(CommandFailure) -> String? {
        do {
            return try Self.text(bytes(), named: "\(path)")
        } catch let failure as CommandFailure {
            throw failure
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw CommandFailure(
                status: error as? Errno == .permissionDenied ? ExitStatus.noPermission : ExitStatus.usage,
                message:
                    "The file \(path), named by \(name), cannot be read: \(error); correct its name or permissions.")
        }
    }

    private func check(_ file: FileDescriptor) throws {
        // Checks the open file, because its name may refer to another file by now.
        let status = try file.stat()
        guard status.type != .directory else {
            throw CommandFailure.usage("\(path), named by \(name), is a directory; name a file.")
        }
        let mode = status.permissions.rawValue & 0o777
        if allowsSystemFiles, status.userID.rawValue == 0, mode & 0o027 == 0 { return }
        guard status.userID.rawValue == geteuid() else {
            throw CommandFailure(
                status: ExitStatus.noPermission,
                message:
                    "The file \(path), named by \(name), belongs to another user, who could read the \(content) in it; "
                    + "make a copy of your own, and chmod 600 it.")
        }
        guard mode & 0o077 == 0 else {
            throw CommandFailure(
                status: ExitStatus.noPermission,
                message: "The file \(path), named by \(name), can be read or changed by other users (mode "
                    + "\(String(mode, radix: 8))), and may hold \(content); chmod 600 \(path).")
        }
    }

    private static func text(_ bytes: [UInt8], named name: String) throws(CommandFailure) -> String {
        guard bytes.count <= limit else {
            throw CommandFailure.usage(
                "There are more than \(limit / 1024) kB in \(name), too many for addresses; name another file.")
        }
        return decoded(bytes)
    }

    /// The text without a byte order mark, which editors on Windows write before UTF-8.
    package static func decoded(_ bytes: [UInt8]) -> String {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(decoding: bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...], as: UTF8.self)
    }
}

extension String {
    /// The text without blanks at its ends.
    package var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
