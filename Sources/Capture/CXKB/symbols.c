// The keys of a mapping that a Wayland compositor hands out.
#include "CLinux.h"
#include "CXKB.h"
#include "libraries.h"

static int has_symbol(struct xkb_keymap *keymap, xkb_keycode_t key, xkb_keysym_t symbol) {
    for (xkb_layout_index_t layout = 0; layout < xkb_keymap_num_layouts_for_key(keymap, key); layout++)
        for (xkb_level_index_t level = 0; level < xkb_keymap_num_levels_for_key(keymap, key, layout); level++) {
            const xkb_keysym_t *symbols = 0;
            int count = xkb_keymap_key_get_syms_by_level(keymap, key, layout, level, &symbols);
            for (int index = 0; index < count; index++)
                if (symbols[index] == symbol) return 1;
        }
    return 0;
}

int kine_find_keys(const char *text, size_t length, xkb_keysym_t symbol, uint32_t *keys, int most) {
    if (!kine_load_xkbcommon()) return -1;
    struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
    if (!context) return -1;
    struct xkb_keymap *keymap =
        xkb_keymap_new_from_buffer(context, text, length, XKB_KEYMAP_FORMAT_TEXT_V1, XKB_KEYMAP_COMPILE_NO_FLAGS);
    int count = keymap ? 0 : -1;
    if (keymap) {
        for (xkb_keycode_t key = xkb_keymap_min_keycode(keymap); key <= xkb_keymap_max_keycode(keymap) && count < most; key++)
            if (key >= 8 && has_symbol(keymap, key, symbol)) keys[count++] = key - 8;  // X's numbers are 8 above the kernel's
        xkb_keymap_unref(keymap);
    }
    xkb_context_unref(context);
    return count;
}
