#ifndef NIGHTJAR_SHIM_ICU_H
#define NIGHTJAR_SHIM_ICU_H

#include <stdint.h>

// ICU renames its functions by macro (u_errorName is u_errorName_72), which Swift cannot see; these names stay.
// A negative result is an ICU failure; texts are counted, never NUL-terminated.

/// UTS 46 ToASCII as WHATWG's "domain to ASCII" asks for (CheckJoiners, non-transitional),
/// with CheckBidi if `bidi` is not 0.
/// Gives the length written, -1 for a name that is not valid, -2 for one that does not fit `capacity`.
int32_t nj_icu_domain_to_ascii(const char *name, int32_t length, int bidi, char *out, int32_t capacity);

/// The UTF-16 text in NFC: the length needed (which may exceed `capacity`), or -1.
int32_t nj_icu_nfc(const uint16_t *text, int32_t length, uint16_t *out, int32_t capacity);

/// Columns that a code point takes on a terminal by UAX 11: 0 for marks and what is not shown, 2 for wide ones.
int nj_icu_width(int32_t scalar);

typedef struct nj_icu_converter nj_icu_converter;
/// A decoder from the ICU charset `name` to UTF-8; malformed bytes become U+FFFD. NULL when ICU has none.
nj_icu_converter *nj_icu_converter_open(const char *name);
void nj_icu_converter_close(nj_icu_converter *converter);
/// Decodes from `*source` on, moving it; gives the bytes written. `*more` is 1 while output is left to take.
int32_t nj_icu_converter_decode(nj_icu_converter *converter, const char **source, const char *end, int flush,
                                char *out, int32_t capacity, int *more);

typedef struct nj_icu_regex nj_icu_regex;
/// Compiles a pattern; on failure NULL, `*offset` in UTF-16 units (-1 if unknown) and `*message`, a static text.
nj_icu_regex *nj_icu_regex_open(const uint16_t *pattern, int32_t length, int32_t *offset, const char **message);
void nj_icu_regex_close(nj_icu_regex *regex);
/// Searches the text: 1 found, 0 not, -1 when the bound on steps or stack stopped it.
int nj_icu_regex_find(nj_icu_regex *regex, const uint16_t *text, int32_t length, int32_t steps, int32_t stack);

#endif
