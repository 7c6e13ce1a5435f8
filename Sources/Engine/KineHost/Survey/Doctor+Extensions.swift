// Checks that services can be started, and that extensions can be held within their limits.
import Glibc
import KineMedia
import KinePlatform
import KineServices
import KineSupervision
import SystemPackage

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
        // Of Landlock: TCP from version 4 on, signals and abstract sockets from 6 on.
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

    /// The engine enforces the limit by itself if the kernel cannot; the kernel is only quicker.
    static func memoryLimit() -> DoctorCheck {
        let group = MemoryCap(name: "kinecast-doctor-\(getpid())", limit: Int64(ServiceManifest.memoryLimit))
        return .passed(
            "memory limit",
            group == nil
                ? "extensions are watched by the engine; this session has no part of the cgroup tree"
                : "the kernel holds extensions to it, by a cgroup each")
    }
}
