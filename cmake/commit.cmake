# Run at every build (cmake -D SOURCE=… -D OUTPUT=… -P commit.cmake): writes the commit into a source file, touching it
# only when it changed. In an archive made by `git archive` the next line names the commit; elsewhere git is asked.
set(archived "$Format:%h$")
set(commit "unknown")
if(NOT archived MATCHES "Format")
  set(commit "${archived}")
else()
  find_program(GIT git)
  if(GIT)
    # An empty prefix: SOURCE is the top of its own repository, not a folder unpacked inside another one.
    execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --show-prefix
                    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND prefix STREQUAL "")
      execute_process(COMMAND "${GIT}" -C "${SOURCE}" rev-parse --short=12 HEAD
                      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
      if(NOT failed)
        set(commit "${found}")
        execute_process(COMMAND "${GIT}" -C "${SOURCE}" --no-optional-locks diff-index --quiet HEAD --
                        RESULT_VARIABLE differs ERROR_QUIET OUTPUT_QUIET)
        if(differs)
          string(APPEND commit "+")
        endif()
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#include "sim/cli/build_info.h"

namespace headroom::cli {

const char* build_commit() { return "@commit@"; }

}  // namespace headroom::cli
]])
