// How WirePlumber is kept from the devices of the machine.

package enum SessionManagerSettings {
    /// Files that WirePlumber reads beside its own, in folders of its configuration's folder `wireplumber`. With them it opens no sound
    /// card, no camera and no Bluetooth device. Lua is of WirePlumber up to 0.4, the last one of 0.5 and later; each ignores the other's.
    package static let withoutDevices = [
        (
            folder: "main.lua.d", name: "60-kinecast.lua",
            text: "alsa_monitor.enabled = false\nv4l2_monitor.enabled = false\nlibcamera_monitor.enabled = false\n"
        ),
        (folder: "bluetooth.lua.d", name: "60-kinecast.lua", text: "bluez_monitor.enabled = false\n"),
        (
            folder: "wireplumber.conf.d", name: "60-kinecast.conf",
            text: "wireplumber.profiles = { main = { hardware.audio = disabled, hardware.bluetooth = disabled, "
                + "hardware.video-capture = disabled } }\n"
        ),
    ]
}
