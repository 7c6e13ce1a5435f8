// The needs of tests, as tags for `TestSelection`. Tests without `real`, `slow` and `long` are unit tests.
import Testing

extension Tag {
    /// Needs a display, an audio server, a bus, a network, rights that a container may lack, or another program than the shell and
    /// the core utilities, be it ours.
    @Tag package static var real: Self

    /// Takes more than two seconds. The unit tests together are to take less than a minute.
    @Tag package static var slow: Self

    /// A suite that takes more than 40 seconds on a busy machine: `scripts/test` starts it early.
    @Tag package static var long: Self

    /// Builds packages in the directories that `scripts/test` has filled before.
    @Tag package static var builds: Self

    /// Promises about real time alone, or too long for each change: only `scripts/endurance` runs it.
    @Tag package static var endurance: Self

    /// Measures a `Margin`, which `scripts/endurance` collects.
    @Tag package static var margins: Self

    /// Drives the programs as a user does. `scripts/sanitize` leaves it out.
    @Tag package static var programs: Self

    /// Starts extensions, whose memory limit is too small for a sanitizer: `scripts/sanitize` leaves it out.
    @Tag package static var extensions: Self

    /// Needs GNOME and KDE: `desktop_packages` in scripts/packages.sh.
    @Tag package static var desktops: Self

    /// Needs Firefox and WebKitGTK: `browser_packages` in scripts/packages.sh.
    @Tag package static var browsers: Self
}
