// Preloaded into KWin 5.27, Debian 12's, which casts a monitor only where its backend can give the monitor's picture as a texture and says
// when it has drawn it. The backend that draws in memory (--virtual) does neither. Here the picture is copied at the end of each frame and
// reported as changed, which is all that KWin's cast of a monitor waits for; the cast itself is KWin's own.
//
// The functions have the symbols of libkwin.so.5.27, libkwinglutils.so.14 and Qt 5, since Debian's headers have none of the private classes.
#include <dlfcn.h>

#include <cstdlib>
#include <memory>

// Weak, for the programs that KWin starts, which are not linked with KWin.
#define KWIN(symbol) asm(symbol) __attribute__((weak))

extern "C" {
// KWin::GLTexture, whose size is less than `textureBytes`.
void texture_construct(void *, unsigned format, int width, int height, int levels, bool) KWIN("_ZN4KWin9GLTextureC1Ejiiib");
void texture_set_y_inverted(void *, bool) KWIN("_ZN4KWin9GLTexture12setYInvertedEb");
unsigned texture_name(const void *) KWIN("_ZNK4KWin9GLTexture7textureEv");
// KWin::GLFramebuffer's stack.
void *framebuffer_current() KWIN("_ZN4KWin13GLFramebuffer18currentFramebufferEv");
// A signal of KWin::Output. Its argument is a QRegion.
void output_changed(void *output, const void *region) KWIN("_ZN4KWin6Output12outputChangeERK7QRegion");
void region_construct(void *, int x, int y, int width, int height, int type) KWIN("_ZN7QRegionC1EiiiiNS_10RegionTypeE");
void region_destroy(void *) KWIN("_ZN7QRegionD1Ev");

extern void (*epoxy_glGetIntegerv)(unsigned, int *) __attribute__((weak));
extern void (*epoxy_glBindTexture)(unsigned, unsigned) __attribute__((weak));
extern void (*epoxy_glCopyTexSubImage2D)(unsigned, int, int, int, int, int, int, int) __attribute__((weak));
}

struct Size { // QSize
    int width, height;
};

namespace {
enum { viewport = 0x0BA2, texture2D = 0x0DE1, textureBinding2D = 0x8069, rgba8 = 0x8058 }; // OpenGL's numbers
enum { textureBytes = 256, regionBytes = 16 };

// KWin draws in one thread, on one monitor here.
void *output;
Size size;
void *texture;
bool isReporting;

void copy_picture() {
    if (!texture) {
        texture = calloc(1, textureBytes);
        texture_construct(texture, rgba8, size.width, size.height, 1, false);
        texture_set_y_inverted(texture, true); // its first row is the lowest
    }
    int bound = 0;
    epoxy_glGetIntegerv(textureBinding2D, &bound);
    epoxy_glBindTexture(texture2D, texture_name(texture));
    epoxy_glCopyTexSubImage2D(texture2D, 0, 0, 0, 0, 0, size.width, size.height);
    epoxy_glBindTexture(texture2D, bound);
}

void report_change() {
    isReporting = true;
    char region[regionBytes];
    region_construct(region, 0, 0, size.width, size.height, 0);
    output_changed(output, region);
    region_destroy(region);
    isReporting = false;
}

template <typename Function> Function next(const char *symbol) { return Function(dlsym(RTLD_NEXT, symbol)); }
} // namespace

// KWin::VirtualBackend::addOutput, called once.
#define ADD_OUTPUT "_ZN4KWin14VirtualBackend9addOutputERK5QSized"
void *add_output(void *backend, const Size *wanted, double scale) asm(ADD_OUTPUT);
void *add_output(void *backend, const Size *wanted, double scale) {
    output = next<void *(*)(void *, const Size *, double)>(ADD_OUTPUT)(backend, wanted, scale);
    size = *wanted;
    return output;
}

// KWin::GLFramebuffer::popFramebuffer. The last framebuffer is the monitor's if it is as large, and its frame is complete.
#define POP_FRAMEBUFFER "_ZN4KWin13GLFramebuffer14popFramebufferEv"
void *pop_framebuffer() asm(POP_FRAMEBUFFER);
void *pop_framebuffer() {
    int area[4] = {};
    epoxy_glGetIntegerv(viewport, area);
    const bool isMonitor = output && !isReporting && area[2] == size.width && area[3] == size.height;
    if (isMonitor) copy_picture();
    void *popped = next<void *(*)()>(POP_FRAMEBUFFER)();
    if (isMonitor && !framebuffer_current()) report_change();
    return popped;
}

// KWin::AbstractEglBackend::textureForOutput.
std::shared_ptr<void> texture_for_output(const void *backend, void *output)
    asm("_ZNK4KWin18AbstractEglBackend16textureForOutputEPNS_6OutputE");
std::shared_ptr<void> texture_for_output(const void *, void *) {
    return std::shared_ptr<void>(texture, [](void *) {}); // it lives as long as KWin
}
