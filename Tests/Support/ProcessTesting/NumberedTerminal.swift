// A terminal whose lines can be read from a recording without recognising letters: foot, in which each line is a number in coloured blocks.
import CoreTesting
import KineMeasure
import KineMedia
import Testing

/// Prints the numbers from 1 on, each on a line of its own, until it is told to stop; then it ends with `status`.
package struct NumberedTerminal {
    /// A screen that it fills with whole lines.
    package static let screen = PixelSize(width: 640, height: 240)
    package static let status: Int32 = 7
    package static let rows = screen.height / lineHeight

    private static let lineHeight = 20
    private static let bits = 15
    /// Of four cells, which are 10 pixels wide in the font that is used.
    private static let block = PixelSize(width: 40, height: lineHeight)
    /// Of a bit's two values, and of a line that has no number.
    private static let colours: (zero: UInt32, one: UInt32, blank: UInt32) = (0x20_4060, 0xc0_8020, 0x10_1010)
    /// How far a component may be from its colour: what moves is coded more coarsely than what stands still.
    private static let tolerance = 12

    private static let script = """
        printf '\\033[?25l'
        number=0 end=
        while [ ! -e "$0" ]; do
            number=$((number + 1)) line= bit=\(1 << (bits - 1))
            while [ $bit -gt 0 ]; do
                if [ $((number & bit)) -ne 0 ]; then colour='\(sequence(colours.one))'; else colour='\(sequence(colours.zero))'; fi
                line="$line\\033[48;2;${colour}m    " bit=$((bit / 2))
            done
            printf "$end$line\\033[m"
            end='\\n'
            sleep 0.02
        done
        exit \(status)
        """

    private let place: TestPlace

    package init(in place: TestPlace) { self.place = place }

    /// The program and its arguments.
    package func command() throws -> [String] {
        let options = [
            "pad=0x0", "font=DejaVu Sans Mono:pixelsize=16", "line-height=\(Self.lineHeight)px", "dpi-aware=no",
            "colors.background=\(Self.hexadecimal(Self.colours.blank))", "initial-window-mode=fullscreen",
        ]
        return [try Tool.path(of: "foot"), "--config=/dev/null", "--log-level=error"]
            + options.flatMap { ["--override", $0] }
            + ["sh", "-c", Self.script, place.path(Self.end)]
    }

    /// Has it stop and end.
    package func stop() throws { try place.write("", to: Self.end) }

    /// Waits until a file that is being recorded shows more lines than the terminal has room for.
    package func waitUntilScrolled(in file: String) throws {
        try wait("the terminal's lines in the file") {
            let frames = (try? ColourFrame.all(in: file, isFinished: false)) ?? []
            return frames.last.flatMap(Self.lines)?.first.map { $0 > 1 } ?? false
        }
    }

    /// Expects every frame to show lines that follow each other, none before those of the frame before, and the lines to have gone on after
    /// the screen was full.
    package static func check(_ file: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        var (last, hasEnded) = (0, false)
        try ColourFrame.forEach(in: file) { frame in
            guard let lines = lines(frame), let bottom = lines.last else {
                // Before the terminal is there and after it.
                hasEnded = last > 0
                return
            }
            #expect(!hasEnded, "a frame without a terminal between others", sourceLocation: sourceLocation)
            let expected = Array(lines[0]..<lines[0] + lines.count)
            #expect(lines == expected && bottom >= last, "\(lines) after \(last)", sourceLocation: sourceLocation)
            last = bottom
        }
        #expect(last > rows, "the terminal has not scrolled", sourceLocation: sourceLocation)
    }

    /// The numbers of a frame's lines from the top to the last one; nil where there is no terminal. A line that is neither a number nor
    /// blank is -1.
    private static func lines(_ frame: ColourFrame) -> [Int]? {
        var lines = (0..<rows).map { number(ofLine: $0, in: frame) }
        while lines.last == 0 { lines.removeLast() }
        return lines.first.map { $0 > 0 } == true ? lines : nil
    }

    private static func number(ofLine line: Int, in frame: ColourFrame) -> Int {
        var number = 0
        var blanks = 0
        for bit in 0..<bits {
            let middle = PixelRect(
                x: bit * block.width + block.width / 2 - 4, y: line * block.height + block.height / 2 - 2, width: 8,
                height: 4)
            func isFilled(with colour: UInt32) -> Bool { frame.distance(from: colour, in: middle) <= tolerance }
            if isFilled(with: colours.blank) {
                blanks += 1
            } else if isFilled(with: colours.one) {
                number += 1 << (bits - 1 - bit)
            } else if !isFilled(with: colours.zero) {
                return -1
            }
        }
        return blanks == bits ? 0 : blanks > 0 ? -1 : number
    }

    private static let end = "terminal-end"

    private static func sequence(_ colour: UInt32) -> String { "\(colour >> 16);\(colour >> 8 & 255);\(colour & 255)" }

    private static func hexadecimal(_ colour: UInt32) -> String {
        let digits = String(colour, radix: 16)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}
