// The camera of a take, which clients change while the take runs.
import KineCapture
import KineControl

extension EngineHost {
    /// Shows that camera from now on, nil: none, if this client may have it shown.
    func setCamera(_ camera: TakeConfiguration.Camera?, for client: EngineConnection) {
        if let reason = refusal(of: camera, for: client) { return refuse(reason, .setCamera(camera), to: client) }
        if camera?.showsPerson == true, permission?.allows(.camera) == false {
            guard permission?.inquiry == nil else {
                return refuse(
                    "The person is being asked already; wait for their answer.", .setCamera(camera), to: client)
            }
            return askPermission([.camera], for: .camera(camera, client))
        }
        setAllowedCamera(camera, for: client)
    }

    /// The person allows it, where they need to.
    func setAllowedCamera(_ camera: TakeConfiguration.Camera?, for client: EngineConnection) {
        guard let opened else { return refuse(TakeError.notBegun.message, .setCamera(camera), to: client) }
        opened.take.setCamera(camera)
        self.camera = camera
        desktop?.camera(isOn: camera?.showsPerson == true)
        clients.tellAll(.camera(camera))
    }

    private func refusal(of camera: TakeConfiguration.Camera?, for client: EngineConnection) -> String? {
        guard opened != nil, machine.phase == .recording || machine.phase == .paused else {
            return TakeError.notBegun.message
        }
        guard let camera else { return nil }
        do throws(TakeConfiguration.Problem) {
            try TakeConfiguration.check(camera)
        } catch {
            return error.description
        }
        do throws(VideoSourceError) {
            _ = try CameraInput(camera)
        } catch {
            return error.sentence
        }
        return camera.showsPerson ? self.refusal(of: [.camera], for: client) : nil
    }
}

extension CameraInput {
    /// Throws where there is no such camera now.
    init(_ camera: TakeConfiguration.Camera) throws(VideoSourceError) {
        try self.init(named: camera.device, among: CameraInventory.cameras())
    }
}

extension TakeConfiguration.Camera {
    /// Whether it is a device, which can show a person. A file or a generated picture cannot.
    var showsPerson: Bool { device != "pattern" && (!device.hasPrefix("/") || device.hasPrefix("/dev/")) }
}
