// Written to the functions of nghttp2 1.52, which newer versions still have.
#ifndef SORTIE_CNGHTTP2_SHIM_H
#define SORTIE_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
