// Preloaded into KWin 6, Debian 13's, which draws with OpenGL only where it finds a graphics card, and casts nothing that it draws without.
// Here it finds a card whose buffers are textures of Mesa's software renderer. They cannot leave KWin, and need not: a buffer is given out
// in the format of its monitors alone, and casts ask for another, so KWin copies casts into shared memory. All else is KWin's own.
//
// The functions stand in the place of libdrm's and libgbm's, and the variables in the place of libepoxy's. They take the arguments that
// KWin 6.3 gives them.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DRM_NODE_RENDER = 2, DRM_FORMAT_XRGB8888 = 0x34325258 };
enum { EGL_NONE = 0x3038, EGL_WIDTH = 0x3057, EGL_HEIGHT = 0x3056, EGL_LINUX_DMA_BUF_EXT = 0x3270 };
enum { EGL_PLATFORM_SURFACELESS_MESA = 0x31DD };
enum { GL_RGBA = 0x1908, GL_RGBA8 = 0x8058, GL_UNSIGNED_BYTE = 0x1401 };

// MARK: The card: a file that answers no request

struct drm_device { // _drmDevice of xf86drm.h
    char **nodes;
    int available_nodes, bustype;
    void *businfo, *deviceinfo;
};

int drmGetDevices2(uint32_t flags, struct drm_device *devices[], int count) {
    static char *nodes[] = {"", "", "/dev/null"};
    static struct drm_device card = {nodes, 1 << DRM_NODE_RENDER, 0, 0, 0};
    (void)flags;
    if (devices && count > 0) devices[0] = &card;
    return 1;
}
void drmFreeDevices(struct drm_device *devices[], int count) { (void)devices, (void)count; }

// MARK: Its buffers, of which only the size is used

struct gbm_device {
    int file;
};
struct gbm_bo {
    uint32_t width, height;
};

struct gbm_device *gbm_create_device(int file) {
    struct gbm_device *device = malloc(sizeof *device);
    if (device) device->file = file;
    return device;
}
void gbm_device_destroy(struct gbm_device *device) { free(device); }
int gbm_device_get_fd(struct gbm_device *device) { return device->file; }

struct gbm_bo *gbm_bo_create(struct gbm_device *device, uint32_t width, uint32_t height, uint32_t format, uint32_t flags) {
    (void)device, (void)flags;
    struct gbm_bo *buffer = format == DRM_FORMAT_XRGB8888 ? malloc(sizeof *buffer) : 0;
    if (buffer) *buffer = (struct gbm_bo){width, height};
    return buffer;
}
struct gbm_bo *gbm_bo_create_with_modifiers(
    struct gbm_device *device, uint32_t width, uint32_t height, uint32_t format, const uint64_t *modifiers, unsigned count) {
    (void)modifiers, (void)count;
    return gbm_bo_create(device, width, height, format, 0);
}
void gbm_bo_destroy(struct gbm_bo *buffer) { free(buffer); }
uint32_t gbm_bo_get_width(struct gbm_bo *buffer) { return buffer->width; }
uint32_t gbm_bo_get_height(struct gbm_bo *buffer) { return buffer->height; }
uint32_t gbm_bo_get_format(struct gbm_bo *buffer) { return (void)buffer, DRM_FORMAT_XRGB8888; }
uint64_t gbm_bo_get_modifier(struct gbm_bo *buffer) { return (void)buffer, 0; }
int gbm_bo_get_plane_count(struct gbm_bo *buffer) { return (void)buffer, 1; }
int gbm_bo_get_fd_for_plane(struct gbm_bo *buffer, int plane) { return (void)buffer, (void)plane, open("/dev/null", O_RDWR | O_CLOEXEC); }
uint32_t gbm_bo_get_offset(struct gbm_bo *buffer, int plane) { return (void)buffer, (void)plane, 0; }
uint32_t gbm_bo_get_stride_for_plane(struct gbm_bo *buffer, int plane) { return (void)plane, 4 * buffer->width; }

// MARK: OpenGL on it

typedef void (*function)(void);

static function next(const char *name) {
    static function (*get)(const char *);
    if (!get) get = (function (*)(const char *))dlsym(dlopen("libEGL.so.1", RTLD_NOW), "eglGetProcAddress");
    return get(name);
}

static void *get_display(unsigned platform, void *device, const int *attributes) {
    (void)platform, (void)device, (void)attributes;
    return ((void *(*)(unsigned, void *, const int *))next("eglGetPlatformDisplayEXT"))(EGL_PLATFORM_SURFACELESS_MESA, 0, 0);
}

// The image of a buffer. KWin makes a texture of it at once, so one serves all buffers. Images of anything else are Mesa's.
struct image {
    int width, height;
};
static struct image image;

static void *create_image(void *display, void *context, unsigned target, void *buffer, const int *attributes) {
    if (target != EGL_LINUX_DMA_BUF_EXT)
        return ((void *(*)(void *, void *, unsigned, void *, const int *))next("eglCreateImageKHR"))(
            display, context, target, buffer, attributes);
    for (; *attributes != EGL_NONE; attributes += 2) {
        if (attributes[0] == EGL_WIDTH) image.width = attributes[1];
        if (attributes[0] == EGL_HEIGHT) image.height = attributes[1];
    }
    return &image;
}

static unsigned destroy_image(void *display, void *destroyed) {
    return destroyed == &image || ((unsigned (*)(void *, void *))next("eglDestroyImageKHR"))(display, destroyed);
}

static void set_texture(unsigned target, void *source) {
    if (source == &image)
        ((void (*)(unsigned, int, int, int, int, int, unsigned, unsigned, const void *))next("glTexImage2D"))(
            target, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, 0);
    else
        ((void (*)(unsigned, void *))next("glEGLImageTargetTexture2DOES"))(target, source);
}

static function get_function(const char *name) {
    if (!strcmp(name, "eglCreateImageKHR")) return (function)create_image;
    if (!strcmp(name, "eglDestroyImageKHR")) return (function)destroy_image;
    return next(name);
}

void *(*epoxy_eglGetPlatformDisplayEXT)(unsigned, void *, const int *) = get_display;
function (*epoxy_eglGetProcAddress)(const char *) = get_function;
void (*epoxy_glEGLImageTargetTexture2DOES)(unsigned, void *) = set_texture;
