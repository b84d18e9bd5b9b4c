#include "shim_icu.h"

#include <stdlib.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/uregex.h>

int32_t nj_icu_domain_to_ascii(const char *name, int32_t length, int bidi, char *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UIDNA *idna = uidna_openUTS46(
        (bidi ? UIDNA_CHECK_BIDI : 0) | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
            UIDNA_NONTRANSITIONAL_TO_UNICODE,
        &status);
    if (U_FAILURE(status)) return -1;
    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    int32_t written = uidna_nameToASCII_UTF8(idna, name, length, out, capacity, &info, &status);
    uidna_close(idna);
    if (status == U_BUFFER_OVERFLOW_ERROR) return -2;
    if (U_FAILURE(status)) return -1;
    // ICU always checks hyphens and lengths; WHATWG sets CheckHyphens and VerifyDnsLength to false.
    const uint32_t ignored = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |
        UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
    return (info.errors & ~ignored) ? -1 : written;
}

int32_t nj_icu_nfc(const uint16_t *text, int32_t length, uint16_t *out, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfc = unorm2_getNFCInstance(&status);
    if (U_FAILURE(status)) return -1;
    int32_t needed = unorm2_normalize(nfc, text, length, out, capacity, &status);
    return U_FAILURE(status) && status != U_BUFFER_OVERFLOW_ERROR ? -1 : needed;
}

struct nj_icu_converter {
    UConverter *from;
    UConverter *to;
    UChar pivot[1024];
    UChar *pivotSource;
    UChar *pivotTarget;
    UBool reset;
};

nj_icu_converter *nj_icu_converter_open(const char *name) {
    nj_icu_converter *converter = calloc(1, sizeof *converter);
    if (!converter) return NULL;
    UErrorCode status = U_ZERO_ERROR;
    converter->from = ucnv_open(name, &status);
    converter->to = ucnv_open("UTF-8", &status);
    if (U_FAILURE(status)) {
        nj_icu_converter_close(converter);
        return NULL;
    }
    converter->pivotSource = converter->pivotTarget = converter->pivot;
    converter->reset = 1;
    return converter;
}

void nj_icu_converter_close(nj_icu_converter *converter) {
    if (!converter) return;
    ucnv_close(converter->from);
    ucnv_close(converter->to);
    free(converter);
}

int32_t nj_icu_converter_decode(nj_icu_converter *converter, const char **source, const char *end, int flush,
                                char *out, int32_t capacity, int *more) {
    UErrorCode status = U_ZERO_ERROR;
    char *target = out;
    ucnv_convertEx(converter->to, converter->from, &target, out + capacity, source, end, converter->pivot,
                   &converter->pivotSource, &converter->pivotTarget, converter->pivot + 1024, converter->reset,
                   (UBool)flush, &status);
    converter->reset = 0;
    *more = status == U_BUFFER_OVERFLOW_ERROR;
    return U_FAILURE(status) && !*more ? -1 : (int32_t)(target - out);
}

nj_icu_regex *nj_icu_regex_open(const uint16_t *pattern, int32_t length, int32_t *offset, const char **message) {
    UErrorCode status = U_ZERO_ERROR;
    UParseError where = {.line = -1, .offset = -1};
    URegularExpression *regex = uregex_open(pattern, length, 0, &where, &status);
    if (U_SUCCESS(status)) return (nj_icu_regex *)regex;
    // ICU never fills `line` beyond 1 without the comments flag, so the offset is the whole pattern's.
    *offset = where.offset;
    *message = u_errorName(status);
    return NULL;
}

void nj_icu_regex_close(nj_icu_regex *regex) {
    uregex_close((URegularExpression *)regex);
}

int nj_icu_regex_find(nj_icu_regex *regex, const uint16_t *text, int32_t length, int32_t steps, int32_t stack) {
    URegularExpression *expression = (URegularExpression *)regex;
    UErrorCode status = U_ZERO_ERROR;
    uregex_setTimeLimit(expression, steps, &status);
    uregex_setStackLimit(expression, stack, &status);
    uregex_setText(expression, text, length, &status);
    UBool found = uregex_find(expression, 0, &status);
    return U_FAILURE(status) ? -1 : found ? 1 : 0;
}

int nj_icu_width(int32_t scalar) {
    switch (u_charType(scalar)) {
    case U_NON_SPACING_MARK: case U_ENCLOSING_MARK: case U_FORMAT_CHAR: case U_CONTROL_CHAR: return 0;
    default: break;
    }
    switch (u_getIntPropertyValue(scalar, UCHAR_EAST_ASIAN_WIDTH)) {
    case U_EA_WIDE: case U_EA_FULLWIDTH: return 2;
    default: return 1;
    }
}
