// libxkbcommon, loaded when the meaning of keys is first needed.
#include "CLinux.h"
#include "CXKB.h"
#include "libraries.h"

LATE_LIBRARY("libxkbcommon.so.0")

LATE_FUNCTION(struct xkb_context *, xkb_context_new, (enum xkb_context_flags flags), (flags))
LATE_FUNCTION(void, xkb_context_unref, (struct xkb_context *context), (context))
LATE_FUNCTION(struct xkb_keymap *, xkb_keymap_new_from_buffer,
        (struct xkb_context *context, const char *buffer, size_t length, enum xkb_keymap_format format,
         enum xkb_keymap_compile_flags flags),
        (context, buffer, length, format, flags))
LATE_FUNCTION(xkb_keycode_t, xkb_keymap_min_keycode, (struct xkb_keymap *keymap), (keymap))
LATE_FUNCTION(xkb_keycode_t, xkb_keymap_max_keycode, (struct xkb_keymap *keymap), (keymap))
LATE_FUNCTION(xkb_layout_index_t, xkb_keymap_num_layouts_for_key, (struct xkb_keymap *keymap, xkb_keycode_t key),
        (keymap, key))
LATE_FUNCTION(xkb_level_index_t, xkb_keymap_num_levels_for_key,
        (struct xkb_keymap *keymap, xkb_keycode_t key, xkb_layout_index_t layout), (keymap, key, layout))
LATE_FUNCTION(void, xkb_keymap_unref, (struct xkb_keymap *keymap), (keymap))
LATE_FUNCTION(void, xkb_state_unref, (struct xkb_state *state), (state))
LATE_FUNCTION(xkb_layout_index_t, xkb_state_key_get_layout, (struct xkb_state *state, xkb_keycode_t key), (state, key))
LATE_FUNCTION(int, xkb_keymap_key_get_syms_by_level,
        (struct xkb_keymap *keymap, xkb_keycode_t key, xkb_layout_index_t layout, xkb_level_index_t level,
         const xkb_keysym_t **syms_out),
        (keymap, key, layout, level, syms_out))
LATE_FUNCTION(int, xkb_state_key_get_utf8, (struct xkb_state *state, xkb_keycode_t key, char *buffer, size_t size),
        (state, key, buffer, size))
LATE_FUNCTION(xkb_keysym_t, xkb_keysym_from_name, (const char *name, enum xkb_keysym_flags flags), (name, flags))
LATE_FUNCTION(int, xkb_keysym_get_name, (xkb_keysym_t keysym, char *buffer, size_t size), (keysym, buffer, size))
LATE_FUNCTION(xkb_keysym_t, xkb_utf32_to_keysym, (uint32_t ucs), (ucs))
LATE_FUNCTION(xkb_keysym_t, xkb_keysym_to_lower, (xkb_keysym_t ks), (ks))
LATE_FUNCTION(uint32_t, xkb_keysym_to_utf32, (xkb_keysym_t keysym), (keysym))
LATE_FUNCTION(xkb_mod_index_t, xkb_keymap_mod_get_index, (struct xkb_keymap *keymap, const char *name), (keymap, name))
LATE_FUNCTION(int, xkb_state_mod_index_is_active,
        (struct xkb_state *state, xkb_mod_index_t index, enum xkb_state_component type), (state, index, type))
LATE_FUNCTION(int, xkb_state_mod_index_is_consumed2,
        (struct xkb_state *state, xkb_keycode_t key, xkb_mod_index_t index, enum xkb_consumed_mode mode),
        (state, key, index, mode))
LATE_FUNCTION(enum xkb_state_component, xkb_state_update_mask,
        (struct xkb_state *state, xkb_mod_mask_t depressed_mods, xkb_mod_mask_t latched_mods,
         xkb_mod_mask_t locked_mods, xkb_layout_index_t depressed_layout, xkb_layout_index_t latched_layout,
         xkb_layout_index_t locked_layout),
        (state, depressed_mods, latched_mods, locked_mods, depressed_layout, latched_layout, locked_layout))

int kine_load_xkbcommon(void) { return late_library() != 0; }
int kine_load_xkb(void) { return kine_load_xkbcommon() && kine_load_xkbcommon_x11() && kine_load_xcb_xkb(); }
