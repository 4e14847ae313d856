// Header lines of an SWF file. Internal to the SWF reader.
#pragma once

#include <string_view>

#include "workloads/swf.h"

namespace headroom {

/// Takes in "Key: value", the text after the ';'. False if a value that is used makes no sense; it is left out.
bool read_swf_header_line(std::string_view text, SwfHeader& header);

}  // namespace headroom
