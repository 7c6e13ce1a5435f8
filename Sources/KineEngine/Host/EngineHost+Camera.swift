// The camera of a take, which clients change while the take runs.
import KineCapture
import KineControl

extension EngineHost {
    /// Shows that camera from now on, nil: none, if the person allows it.
    func setCamera(_ camera: TakeConfiguration.Camera?, for client: EngineConnection) {
        if let reason = refusal(of: camera) { return refuse(reason, .setCamera(camera), to: client) }
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
        setCaptured(.camera, isOn: camera?.showsPerson == true)
        opened.take.setCamera(camera)
        self.camera = camera
        desktop?.camera(isOn: camera?.showsPerson == true)
        clients.tellAll(.camera(camera))
    }

    private func refusal(of camera: TakeConfiguration.Camera?) -> String? {
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
            return nil
        } catch {
            return error.sentence
        }
    }
}

extension CameraInput {
    /// Throws where there is no such camera now.
    init(_ camera: TakeConfiguration.Camera) throws(VideoSourceError) {
        try self.init(named: camera.device, among: CameraInventory.cameras())
    }
}
