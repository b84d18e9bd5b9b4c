#include <unicode/uidna.h>
#include <unicode/unorm2.h>
#include <unicode/ucnv.h>
#include <unicode/uregex.h>
