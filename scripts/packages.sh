# Which Debian packages Kinecast needs, and their installation where some are missing. Sourced by the other scripts.

# To build: the libraries' headers.
build_packages=(
    libavcodec-dev libavdevice-dev libavformat-dev libavutil-dev libcairo2-dev libopenh264-dev libpipewire-0.3-dev
    libpulse-dev libspa-0.2-dev libswresample-dev libswscale-dev libsystemd-dev libwayland-dev libx264-dev libxcb-composite0-dev libxcb-damage0-dev
    libxcb-randr0-dev libxcb-render0-dev libxcb-shape0-dev libxcb-shm0-dev libxcb-xfixes0-dev libxcb-xinput-dev libxcb-xkb-dev libxcb-xtest0-dev libxcb1-dev
    libxkbcommon-x11-dev libyuv-dev zlib1g-dev
)
# To build what is measured beside Kinecast.
measure_packages=(libturbojpeg0-dev)
# To record with no display and no sound card.
virtual_packages=(pulseaudio xauth xvfb)

# missing_packages NAME…: prints the names of packages that are not installed.
missing_packages() {
    local name
    for name in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || echo "$name"
    done
}

# install_packages NAME…: installs the missing packages, and prints nothing if none is missing.
install_packages() {
    local log missing root=()
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]})) || return 0
    ((EUID == 0)) || root=(sudo)
    echo "installing ${missing[*]}" >&2
    log=$(mktemp)
    if ! { "${root[@]}" apt-get update -q &&
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
    } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "apt-get could not install ${missing[*]}: the lines above say why; install them by hand and try again." >&2
        return 1
    fi
    rm -f "$log"
}

# To test: decoders that are not ours, a browser, RTMP servers, bad networks, other programs of the desktop,
# and what says which tests a change concerns.
test_packages=(
    at-spi2-core chromium chromium-driver curl dbus-bin dbus-daemon dunst ffmpeg fonts-dejavu-core foot iproute2 libnginx-mod-rtmp mediainfo
    nftables nginx-light node-typescript nodejs openbox openssl picom pipewire pipewire-bin pipewire-pulse pulseaudio-utils python3 slurp sway
    swayidle unzip weston wireplumber wl-clipboard x11-xserver-utils xclip xdg-desktop-portal xdg-desktop-portal-wlr xterm xwayland zenity
)
# All of scripts/test.
all_test_packages=("${build_packages[@]}" "${measure_packages[@]}" "${virtual_packages[@]}" "${test_packages[@]}")
# To test GNOME and KDE, which scripts/endurance alone does.
desktop_packages=(
    gnome-shell kwin-wayland mutter pipewire plasma-workspace waybar wireplumber xdg-desktop-portal xdg-desktop-portal-gnome
    xdg-desktop-portal-kde
)
# Plasma's QML modules: of Qt 5 up to Debian 12, of Qt 6 since.
case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
bookworm)
    desktop_packages+=(
        qml-module-org-kde-kirigami2 qml-module-org-kde-pipewire qml-module-qtquick-controls2 qml-module-qtquick-layouts qtwayland5
    )
    ;;
*)
    desktop_packages+=(
        plasma-desktop qml6-module-org-kde-kirigami qml6-module-org-kde-pipewire qml6-module-qtquick-controls qml6-module-qtquick-layouts qt6-wayland
    )
    ;;
esac
# To test another window manager, which scripts/endurance alone does.
manager_packages=(xfwm4)
# To test the live page in Firefox and WebKitGTK, which scripts/endurance alone does.
browser_packages=(firefox-esr fonts-noto-cjk gstreamer1.0-libav webkit2gtk-driver)
