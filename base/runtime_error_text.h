/* runtime_error_text.h - the names and texts of CUDA's runtime errors. */
#ifndef RUNTIME_ERROR_TEXT_H
#define RUNTIME_ERROR_TEXT_H

/* For an unknown code both return "unrecognized error code", as CUDA does. */
const char *runtime_error_name(int error);
const char *runtime_error_text(int error);

#endif
