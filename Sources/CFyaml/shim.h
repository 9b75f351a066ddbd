#ifndef SORTIE_CFYAML_SHIM_H
#define SORTIE_CFYAML_SHIM_H

#include <libfyaml.h>

#endif
