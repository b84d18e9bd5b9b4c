#ifndef NIGHTJAR_SHIM_GETOPT_H
#define NIGHTJAR_SHIM_GETOPT_H

static const int NJ_GETOPT_END = -1, NJ_GETOPT_UNKNOWN = -2, NJ_GETOPT_NO_VALUE = -3;

/// A flag as getopt_long takes it: a long name, a letter or 0, and whether a value follows.
struct nj_flag {
    const char *name;
    char letter;
    int takes_value;
};

/// The next flag of the command line: its place in `flags`, or one of the constants above. `rest` gets the index in
/// `argv` of the next word, after the end that of the first argument. `*restart` is 1 for the first call. At most 63
/// flags. Not for several threads.
int nj_getopt(int argc, char **argv, const struct nj_flag *flags, int count, int *restart, const char **value,
              int *rest);

#endif
