// Checks the requirements of extensions and the desktop.
import Glibc
import KineDesktop
import KineMedia
import KinePlatform
import KineServices
import KineSupervision
import KineText
import SystemPackage

extension Doctor {
    /// Nanoseconds for the desktop's answers.
    private static let timeout: Int64 = 3_000_000_000

    static func desktop() -> [DoctorCheck] {
        desktop(DesktopSurvey.ask(.find(), until: MonotonicClock.now() + timeout))
    }

    static func desktop(_ survey: DesktopSurvey) -> [DoctorCheck] {
        guard survey.hasLibrary else {
            return [.passed("desktop", "libsystemd0 is not installed, so takes neither show nor ask anything there")]
        }
        guard survey.hasSession || survey.hasSystem else {
            return [.passed("desktop", "there is no bus here, so takes neither show nor ask anything there")]
        }
        return [notifications(survey), lock(survey)]
    }

    private static func notifications(_ survey: DesktopSurvey) -> DoctorCheck {
        guard let name = survey.notifications?.printable(limit: 60) else {
            return .failed(
                "notifications", "nothing on this desktop shows what is captured",
                remedy: "start a notification daemon such as dunst, if a person is to see it")
        }
        guard survey.capabilities.hasActions else {
            return .failed(
                "notifications", "\(name) shows what is captured, but no button that stops it",
                remedy: "use kinecast stop, or another notification daemon such as dunst")
        }
        return .passed("notifications", "\(name) shows what is captured, with a button that stops it")
    }

    private static func lock(_ survey: DesktopSurvey) -> DoctorCheck {
        let awake = survey.hasLogind ? "logind keeps the machine awake" : "logind does not answer"
        switch survey.isLocked {
        case nil:
            return .failed(
                "screen lock", "no service says whether the screen is locked; \(awake)",
                remedy: "pause takes by hand before the screen is locked, or log in to a desktop with logind")
        case false: return .passed("screen lock", "takes pause while the screen is locked; \(awake)")
        case true: return .passed("screen lock", "the screen is locked; \(awake)")
        }
    }
}

// Checks that services can be started, and that extensions can be confined.
extension Doctor {
    static func services() -> DoctorCheck {
        let found = TakeRequest.catalog.list()
        return services(found.services, found.problems) { access($0.cString, X_OK) == 0 }
    }

    static func services(
        _ services: [Service], _ problems: [String], isExecutable: (FilePath) -> Bool
    ) -> DoctorCheck {
        let lacking = services.filter { !isExecutable($0.executable) }
        if let first = lacking.first {
            return .failed(
                "services",
                "\(lacking.map(\.id).joined(separator: ", ")) cannot be started: "
                    + "\(first.executable) is not there or not executable",
                remedy: first.origin == .builtIn
                    ? "install Kinecast completely; what is built from source needs the product \(first.manifest.executable)"
                    : "install the service again, or kinecast services remove \(first.id)")
        }
        if let problem = problems.first {
            return .failed("services", problem, remedy: "kinecast services names them all")
        }
        return .passed("services", services.map(\.id).joined(separator: ", "))
    }

    /// Checks the layers that keep extensions away from the screen, the user's files and each other.
    static func confinement(_ layers: Set<Sandbox.Layer> = Sandbox.available, landlock: Int = Sandbox.landlockVersion)
        -> DoctorCheck
    {
        // For Landlock: TCP since version 4, signals and abstract sockets since 6.
        let words = Sandbox.Layer.allCases.filter(layers.contains).map {
            $0 == .landlock ? "Landlock \(landlock)" : $0.rawValue
        }
        let held = "extensions are held by \(words.joined(separator: ", "))"
        let missing = Sandbox.Layer.allCases.filter { !layers.contains($0) }
        guard missing.isEmpty, landlock >= 6 else {
            let lack = missing.isEmpty ? "a newer Landlock" : missing.map(\.rawValue).joined(separator: " and ")
            return .failed(
                "confinement", "\(held), without \(lack)",
                remedy:
                    "use Linux 6.12 or newer with Landlock among its security modules, and a system and container that "
                    + "allow namespaces to their users")
        }
        return .passed("confinement", held)
    }

    /// The engine enforces the limit itself if the kernel cannot; the kernel is only quicker.
    static func memoryLimit() -> DoctorCheck {
        let group = MemoryCap(name: "kinecast-doctor-\(getpid())", limit: Int64(ServiceManifest.memoryLimit))
        return .passed(
            "memory limit",
            group == nil
                ? "extensions are watched by the engine; this session has no part of the cgroup tree"
                : "the kernel holds extensions to it, by a cgroup each")
    }
}
