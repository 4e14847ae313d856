# A Python that can read the results: Debian's own, where the modules are; else whichever is first.
find_program(HEADROOM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HEADROOM_PYTHON NAMES python3 REQUIRED)

# headroom_python_test(FILE [LABELS ...] [TIMEOUT s]): a unittest file of this folder as one CTest test, named after it.
# It finds the program, the tree and the folder for its files in its environment.
function(headroom_python_test file)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS" ${ARGN})
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME ${name} COMMAND ${HEADROOM_PYTHON} -B ${CMAKE_CURRENT_SOURCE_DIR}/${file} --verbose)
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(environment HEADROOM_ROOT=${PROJECT_SOURCE_DIR} HEADROOM_BUILD=${PROJECT_BINARY_DIR} PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/e2e)
  if(TARGET sim)
    list(APPEND environment HEADROOM_SIM=$<TARGET_FILE:sim>)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${environment}")
endfunction()
