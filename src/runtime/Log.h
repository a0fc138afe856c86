// What the library has to say beside errors, handed to the host's callback: a library does not print.
#pragma once

#include "tilewise/tilewise.h"

#include <string>

namespace tilewise {

void setLogCallback(tw_log_callback callback, void *user);
void log(tw_log_level level, const std::string &message);

} // namespace tilewise
