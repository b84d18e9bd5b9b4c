#define _GNU_SOURCE
#include "shim_getopt.h"

#include <getopt.h>
#include <stddef.h>

int nj_getopt(int argc, char **argv, const struct nj_flag *flags, int count, int *restart, const char **value,
              int *rest) {
    enum { first_long = 1000, most = 63 };
    struct option names[most + 1];
    char letters[2 * most + 2];
    size_t used = 0;
    // The colon tells a missing value from an unknown flag.
    letters[used++] = ':';
    if (count > most) count = most;
    for (int index = 0; index < count; index++) {
        names[index] = (struct option){flags[index].name, flags[index].takes_value ? 1 : 0, NULL, first_long + index};
        if (flags[index].letter == 0) continue;
        letters[used++] = flags[index].letter;
        if (flags[index].takes_value) letters[used++] = ':';
    }
    names[count] = (struct option){NULL, 0, NULL, 0};
    letters[used] = 0;

    if (*restart) optind = 0;
    *restart = 0;
    opterr = 0;
    int code = getopt_long(argc, argv, letters, names, NULL);
    *value = optarg;
    *rest = optind;
    if (code == -1) return NJ_GETOPT_END;
    if (code >= first_long) return code - first_long;
    for (int index = 0; index < count; index++)
        if (flags[index].letter == code) return index;
    return code == ':' ? NJ_GETOPT_NO_VALUE : NJ_GETOPT_UNKNOWN;
}
