# How the scripts build; sourced by them, from the checkout's own directory.

# The build directory.
build_directory=$PWD/.build

# Several packages are built into one directory, where they share what they have in common. The plan of the last build there may
# be another package's.
shared_options=(--disable-build-manifest-caching)
# Options of every debug build. They are the same everywhere, since other options mean compiling everything again. Nothing here
# reads an index. Of the debugger's information, only lines are wanted, for backtraces: the rest takes time to write and to link.
# Modules are compiled in one piece each: in several, what they import is read once for each piece, which takes most of the time. A module's
# interface is written with its code: writing it before lets the next module begin sooner, but reads all of the source twice.
# The linker is the one that comes with Swift: it takes half the time of the system's.
debug_options=("${shared_options[@]}" --disable-index-store -Xswiftc -gline-tables-only -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -use-ld=lld)
# Options of every release build. The executables carry Swift's library in themselves, which saves memory.
# C names its sources in what it compiles, here without the directories that they are in: two checkouts give the same executables.
# Relocations are packed and no symbols are exported, which makes an executable 1.7 MB smaller, and a process 1.5 MB. Swift's linker, which
# can do it, is also faster.
release_options=(-c release --static-swift-stdlib "${shared_options[@]}" -Xcc "-ffile-prefix-map=$PWD=." -Xswiftc -use-ld=lld
    -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic)
# Further options of the tests' builds of extensions, which their authors build for release. Optimising them would take most of the time,
# and what tests look for is that they are linked statically.
static_options=(-c release --static-swift-stdlib -Xswiftc -Onone)

# swift: runs Swift with a fixed order of sets. The package manager passes the traits of a package to the compiler in the order of a set. When
# that order changes, it compiles the package again.
swift() { SWIFT_DETERMINISTIC_HASHING=1 command swift "$@"; }

# debug_build OPTION…: `swift build` with the options of a debug build.
debug_build() { SWIFT_EXEC=$PWD/scripts/swiftc swift build "${debug_options[@]}" "$@"; }

# debug_build_identity: what decides about the products of such a build, besides the sources.
debug_build_identity() {
    swift --version
    echo "${debug_options[*]} ${static_options[*]}"
    cat scripts/swiftc
}

# pin_packages: makes every build use the versions in scripts/versions. It asks each package's repository for the commit of the version's
# tag and writes Package.resolved. That file is not committed: a mirror of a package has other commits than its origin, and the build refuses
# an unknown one.
pin_packages() {
    local url version commit pins=()
    # A build without traits leaves fewer versions in it.
    [[ Package.resolved -nt scripts/versions && $(grep -c '"identity"' Package.resolved) -ge $(wc -l <scripts/versions) ]] && return 0
    while read -r url version; do
        # The last line is the commit itself where the tag is an object of its own (gitrevisions(7), `^{}`).
        commit=$(git ls-remote "$url" "refs/tags/$version" "refs/tags/$version^{}" | tail -n 1 | cut -f 1)
        if [[ -z $commit ]]; then
            echo "$url has no version $version; correct scripts/versions, or see that the network reaches it." >&2
            return 1
        fi
        pins+=("{\"identity\": \"$(basename "$url" .git)\", \"kind\": \"remoteSourceControl\", \"location\": \"$url\",
            \"state\": {\"revision\": \"$commit\", \"version\": \"$version\"}}")
    done <scripts/versions
    local IFS=,
    echo "{\"pins\": [${pins[*]}], \"version\": 2}" >Package.resolved
}

# pin_further_packages: gives these versions to the packages that depend on this one. An app or an extension needs swift-system alone. Its
# tests allow no other version, and the package manager would then fetch all packages that are named.
pin_further_packages() {
    local package
    for package in Benchmarks Fuzz Examples/HostEncode; do cp Package.resolved "$package/"; done
    for package in Examples/CaptureApp Examples/HostEncode/Extension; do
        python3 -c '
import json, sys
resolved = json.load(sys.stdin)
pins = [pin for pin in resolved["pins"] if pin["identity"] == "swift-system"]
json.dump({"pins": pins, "version": resolved["version"]}, sys.stdout)' <Package.resolved >"$package/Package.resolved"
    done
}

# build_identity: what products hold for, besides the sources that the build compares itself: Swift, the options, the packages' versions,
# Debian's libraries, and headers, which are no inputs of the Swift modules that import them.
build_identity() {
    {
        debug_build_identity
        dpkg-query -W -f '${Package} ${Version}\n' '*-dev'
        git ls-files -z -- '*Package.swift' scripts/versions '*.h' '*.modulemap' | xargs -0 sha256sum
    } 2>/dev/null | sha256sum | cut -c 1-16
}

# sources_tree: writes this checkout's files, committed or not, as a git tree, and prints the id of the tree.
sources_tree() {
    local index
    index=$(mktemp)
    cp "$(git rev-parse --git-path index)" "$index"
    GIT_INDEX_FILE=$index git add --all && GIT_INDEX_FILE=$index git write-tree
    rm -f "$index"
}

# is_release: whether the commit that is checked out is a release.
is_release() { [[ -n $(git tag --points-at HEAD 'v[0-9]*') ]]; }

# The last run of all tests in this build directory, if it passed: its `build_identity` and its `sources_tree`. A run forgets it at its
# start, since an interrupted run may have compiled files with warnings.
passed_identity() { cut -d ' ' -f 1 "$build_directory/passed" 2>/dev/null || true; }
passed_tree() { cut -d ' ' -f 2 "$build_directory/passed" 2>/dev/null || true; }
forget_pass() { rm -f "$build_directory/passed"; }
# remember_pass IDENTITY TREE
remember_pass() { echo "$1 $2" >"$build_directory/passed"; }

# restore_dependencies DIRECTORY: copies the dependencies' products from DIRECTORY into the build directory; compiles them first if DIRECTORY
# has none for these versions, this compiler, these options and this build directory.
restore_dependencies() {
    local identity target
    identity=$({ cat scripts/versions; echo "$build_directory"; debug_build_identity; } 2>/dev/null | sha256sum)
    if [[ $(cat "$1/dependencies/identity" 2>/dev/null) != "$identity" ]]; then
        echo "Building the dependencies, which takes about three minutes and is kept for the next time." >&2
        pin_packages
        pin_further_packages
        for target in HummingbirdTLS ArgumentParser SystemPackage; do
            debug_build --scratch-path "$build_directory" --target "$target" >&2
        done
        # Apps and extensions are built apart from what the programs need.
        debug_build --package-path Examples/CaptureApp --scratch-path "$build_directory/extensions" --target SystemPackage >&2
        debug_build "${static_options[@]}" --package-path Examples/HostEncode/Extension --scratch-path "$build_directory/extensions" \
            --target SystemPackage >&2
        rm -rf "$1/dependencies" "$1/partial"
        cp -a "$build_directory" "$1/partial"
        echo "$identity" >"$1/partial/identity"
        mv "$1/partial" "$1/dependencies"
    else
        cp -a "$1/dependencies" "$build_directory"
    fi
}

# swift_of FILE: the Swift code in a page: its ```swift blocks, and what only the compiler needs, in comments that begin with <!--swift.
# A package's manifest is another program's. All of a Swift file.
swift_of() {
    [[ $1 == *.md ]] || { cat "$1"; return; }
    awk '
        /^(```|-->)$/ { inside = 0 }
        inside && /^\/\/ swift-tools-version/ { inside = 0 }
        inside
        /^(```|<!--)swift$/ { inside = 1; printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, NR + 1 }' "$1"
}

# build_documentation DIRECTORY: the library's documentation, from what a debug build has compiled. Fails where it has a warning.
build_documentation() {
    local symbols map module page status=0 options
    symbols=$(mktemp -d)
    # The modules' directory and target, as they were compiled.
    options=(-I "$build_directory/debug/Modules" -target "$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)",/\1/p' | head -1)")
    # The build writes a map for each library in C that is compiled. The cache may have a map for a library that is not compiled any more.
    for module in Sources/*/C*/; do
        map=$module/module.modulemap
        [[ -e $map ]] || map=$build_directory/debug/$(basename "$module").build/module.modulemap
        options+=(-Xcc "-fmodule-map-file=$map")
    done
    options+=(-Xcc "-fmodule-map-file=$build_directory/checkouts/swift-system/Sources/CSystem/include/module.modulemap")
    # Kinecast hands on what the others declare.
    for module in Kinecast KinecastExchange KinecastImaging KineMedia KineRings KineWire; do
        swift symbolgraph-extract -module-name "$module" "${options[@]}" -output-dir "$symbols" \
            -minimum-access-level public || status=1
    done
    # The code in the documentation has to be code. It is compiled as one module, which may have one main program and none twice.
    mkdir "$symbols/code"
    for page in Sources/Library/Kinecast/Kinecast.docc/Resources/*-Main.swift docs/*.md Sources/Library/Kinecast/Kinecast.docc/*.md; do
        swift_of "$page" | sed "s/^@main$//; s/^enum Sketch/private &/" >"$symbols/code/$(basename "${page%.*}").swift"
    done
    swiftc -typecheck -parse-as-library -swift-version 6 -warnings-as-errors -wmo "${options[@]}" "$symbols"/code/*.swift || status=1
    rm -rf "$1"
    # docc copies its pages' template with its owner. Where that is root, an ordinary user may not, so docc gets a copy of their own.
    cp -R "$(dirname "$(realpath "$(command -v docc)")")/../share/docc/render" "$symbols/"
    DOCC_HTML_DIR=$symbols/render docc convert Sources/Library/Kinecast/Kinecast.docc --additional-symbol-graph-dir "$symbols" --output-dir "$1" \
        --fallback-display-name Kinecast --fallback-bundle-identifier org.kinecast.Kinecast --warnings-as-errors || status=1
    rm -rf "$symbols"
    return "$status"
}

# The executables beside the engine's, and what runs in a release build: Kinecast itself, and what scripts/run shows where there is no
# display.
libexec_programs=(kinecast-engine kinecast-publish kinecast-tray kinecast-studio)
release_products=(kinecast "${libexec_programs[@]}" kinecast-scene)

# install_desktop_files PREFIX: the icons, and the entry of the desktop's menu.
install_desktop_files() {
    local icon
    for icon in packaging/icons/hicolor/*/apps/*.svg; do install -D -m 644 "$icon" "$1/share/${icon#packaging/}"; done
    install -D -m 644 packaging/org.kinecast.Kinecast.desktop -t "$1/share/applications"
}

# kinecast_version: the version that kinecast prints.
kinecast_version() { sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Program/KinecastCommand/RootCommand.swift; }

# build_commit: the commit of this checkout, with a plus sign if its sources were changed; empty where there is no checkout.
build_commit() {
    local commit
    commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || return 0
    [[ -z $(git status --porcelain -- Package.swift Sources Support scripts) ]] || commit+=+
    echo "$commit"
}

# build_release DIRECTORY NAME…: builds executables of a package. Prints the directory they are in. Says nothing, and takes no
# time, where nothing has changed since the last time. With KINECAST_PACKAGED they do not know this checkout.
build_release() {
    local package=$1 stamp given name static=$build_directory/static
    shift
    KINECAST_COMMIT=$(build_commit)
    export KINECAST_COMMIT
    given=$KINECAST_COMMIT${KINECAST_PACKAGED:+ for a package}
    stamp=$build_directory/release.$(printf '%s' "$@" | cksum | cut -d ' ' -f 1).stamp
    # A folder is newer when a file was added to it or removed.
    if [[ ! -e $stamp || $(cat "$stamp") != "$given" ||
        -n $(find Package.swift Sources Support Benchmarks scripts -newer "$stamp" -print -quit) ]]; then
        if [[ ! -e $build_directory/release/kinecast ]]; then
            echo "Building Kinecast for the first time, which takes about seven minutes on two cores." >&2
        else
            echo "Building what has changed." >&2
        fi
        # Swift's library calls the C++ library, which is found here first, and is linked statically: a process takes 1 MB less than with
        # the shared one.
        mkdir -p "$static"
        ln -sf "$(clang -print-file-name=libstdc++.a)" "$static/"
        if [[ $package == . ]]; then
            # All at once: while one module is compiled on one core, there is something else for the other.
            KINECAST_PRODUCTS="$*" swift build "${release_options[@]}" -Xswiftc -L -Xswiftc "$static" \
                --scratch-path "$build_directory" 2>&1 | progress >&2 || return 1
        else
            # One after the other: a build of everything would include what only its tests need.
            for name in "$@"; do
                swift build "${release_options[@]}" -Xswiftc -L -Xswiftc "$static" --product "$name" \
                    --package-path "$package" --scratch-path "$build_directory" 2>&1 | progress >&2 || return 1
            done
        fi
        echo "$given" >"$stamp"
    fi
    echo "$build_directory/release"
}

# progress: passes errors and warnings on, and in a terminal shows how far the build is.
progress() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
            [[ ! -t 2 ]] || printf '\r%s of %s steps' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        elif [[ $line == "Build "*"complete!"* ]]; then
            [[ ! -t 2 ]] || printf '\r\033[K'
        elif [[ $line != Building* && $line != Fetch* && $line != Creating* && $line != Working* && $line != Comput* ]]; then
            printf '%s\n' "$line"
        fi
    done
}

# fetch_axe: puts axe-core 4.12, which looks for what keeps people from using a page, into the build directory. Debian has no package
# of it; this one of PyPI's has the file in it.
fetch_axe() {
    local sum=fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8 wheel
    [[ ! -e $build_directory/axe.min.js ]] || return 0
    mkdir -p "$build_directory"
    wheel=$(mktemp)
    if ! curl -sSfL --retry 3 -o "$wheel" "https://files.pythonhosted.org/packages/4c/c6/5fdb6d5d96653927b6a4763a4b7aaa9e468d4a6eda5048b7c2e158d17bc9/axe_playwright_python-0.1.8-py3-none-any.whl" ||
        ! sha256sum --quiet --check <<<"$sum  $wheel"; then
        rm -f "$wheel"
        echo "axe-core could not be fetched from PyPI, or is another file; see that the network reaches files.pythonhosted.org." >&2
        return 1
    fi
    unzip -q -p "$wheel" axe_playwright_python/axe.min.js >"$build_directory/axe.min.js.new"
    rm -f "$wheel"
    mv "$build_directory/axe.min.js.new" "$build_directory/axe.min.js"
}
