# Flags that every target of ours shares; linked, never global. Floating point is not contracted: a fused multiply-add
# would change bits between machines.
add_library(headroom_flags INTERFACE)
target_compile_options(headroom_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -ffp-contract=off)
option(HEADROOM_WERROR "warnings are errors" OFF)
if(HEADROOM_WERROR)
  target_compile_options(headroom_flags INTERFACE -Werror)
endif()
option(HEADROOM_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(headroom_flags INTERFACE -fsanitize=address,undefined)
endif()

# headroom_module(NAME SOURCES ... LINK ...): a static library of one module, headers found from the root.
function(headroom_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:headroom_flags> ${arg_PRIVATE})
  if(HEADROOM_SANITIZE)
    target_link_options(${name} INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined>)
  endif()
endfunction()

# headroom_test(NAME SOURCES ... LINK ... [LABELS ...]): a GoogleTest program, each of its tests a CTest test. Label `truth`
# for what is slow under sanitizers and is run in the release build, `long` for what takes minutes.
function(headroom_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINK} headroom_flags GTest::gtest_main)
  if(arg_LABELS)
    set(arg_LABELS PROPERTIES LABELS "${arg_LABELS}")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 ${arg_LABELS})
  if("${arg_LABELS}" MATCHES "truth|e2e")
    add_dependencies(headroom_release_tests ${name})
  endif()
endfunction()
