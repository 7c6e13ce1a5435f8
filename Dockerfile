# An image with Kinecast for CI: it records what a program shows on a private X screen, with its audio.
#
# No container engine has built this file yet. It was written from scripts/packages.sh and scripts/install, from the libraries that the
# executables link (readelf -d) and load later (LATE_LIBRARY in Sources), from docs/virtual.md, and from Swift's instructions for Debian 12
# (swift.org/install/linux/tarball). It is for amd64.
#
#     docker build -t kinecast .
#     docker run --rm kinecast kinecast doctor
#
# Your own image begins with FROM kinecast and adds the program under test: kinecast record test.mp4 --virtual 1280x720 -- ./run-gui-tests.
# A mounted directory for the recording has to be writable for user 1000. For --virtual wayland:1280x720 it also needs Debian's
# sway dbus-daemon pipewire wireplumber libwayland-client0.
#
# The engine links x264, so an image that you pass on has a part under the GPL: docs/licences.md.

FROM debian:bookworm-slim AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

# What Swift's compiler needs, and what downloads and checks it.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        binutils ca-certificates curl gcc git gpg libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev \
        libsqlite3-dev libstdc++-12-dev libxml2-dev pkg-config tzdata uuid-dev && \
    rm -rf /var/lib/apt/lists/*

# Swift 6.3. The archive has to be signed by the key of Swift's 6.x releases, whatever other keys swift.org lists.
ARG SWIFT_VERSION=6.3.1
ARG SWIFT_KEY=52BB7E3DE28A71BE22EC05FFEF80A866B47A981F
RUN release=swift-$SWIFT_VERSION-RELEASE && \
    archive=https://download.swift.org/swift-$SWIFT_VERSION-release/debian12/$release/$release-debian12.tar.gz && \
    curl -fsSL "$archive" -o swift.tar.gz && \
    curl -fsSL "$archive.sig" -o swift.tar.gz.sig && \
    curl -fsSL https://www.swift.org/keys/all-keys.asc | gpg --batch --import && \
    gpg --batch --status-fd 1 --verify swift.tar.gz.sig swift.tar.gz | grep "VALIDSIG .* $SWIFT_KEY$" && \
    mkdir /opt/swift && \
    tar -xzf swift.tar.gz --directory /opt/swift --strip-components=1 && \
    rm swift.tar.gz swift.tar.gz.sig
ENV PATH=/opt/swift/usr/bin:$PATH

# The libraries' headers first, so that a change of the sources does not install them again.
WORKDIR /kinecast
COPY scripts scripts
RUN source scripts/packages.sh && install_packages "${build_packages[@]}"

# Package.swift names the targets of the tests too, so their folders have to be there; nothing in them is built.
COPY Package.swift ./
COPY Sources Sources
COPY Support Support
COPY Tests Tests
RUN scripts/install /usr/local


FROM debian:bookworm-slim

# In this order: what the engine links; what it loads for audio, for a file in a camera's place, and for --show-keys; certificates for
# rtmps://; the servers of a private screen, virtual_packages of scripts/packages.sh.
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        libstdc++6 libx264-164 libxcb-composite0 libxcb-damage0 libxcb-randr0 libxcb-render0 libxcb-shape0 libxcb-shm0 \
        libxcb-xfixes0 libxcb-xinput0 libxcb-xtest0 libxcb1 libyuv0 zlib1g \
        libavcodec59 libpulse0 \
        libavformat59 libswscale6 \
        fonts-dejavu-core libcairo2 libxkbcommon-x11-0 \
        ca-certificates \
        pulseaudio xauth xvfb && \
    rm -rf /var/lib/apt/lists/*

COPY --from=build /usr/local/bin/kinecast /usr/local/bin/kinecast
COPY --from=build /usr/local/libexec/kinecast /usr/local/libexec/kinecast

# The directory of X servers' sockets, which root has to own.
RUN useradd --create-home --uid 1000 kinecast && install -d -m 1777 /tmp/.X11-unix
USER kinecast
WORKDIR /home/kinecast
