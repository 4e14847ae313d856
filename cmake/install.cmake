# What `cmake --install` leaves behind: the program, and the scheduler alone as headroom::policies. The library's link
# interface names none of our flags, so a consumer builds with its own.
include(CMakePackageConfigHelpers)

# scheduler.h and what it includes.
set(headroom_public_headers
    policies/cluster.h policies/ids.h policies/outlook.h policies/policy.h policies/priority/param.h policies/priority_rule.h policies/ready_queue.h policies/check.h policies/expression_rule.h
    policies/reason.h policies/reservation.h policies/resources.h policies/scheduler.h policies/stage_graph.h
    policies/stale_safety.h policies/time.h policies/timeline.h)

target_sources(policies PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headroom_public_headers})
target_compile_features(policies PUBLIC cxx_std_20)
set_target_properties(policies PROPERTIES OUTPUT_NAME headroom_policies VERIFY_INTERFACE_HEADER_SETS ON)

install(TARGETS policies EXPORT headroom ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headroom)
install(EXPORT headroom NAMESPACE headroom:: FILE headroomTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headroom)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/headroomConfig.cmake.in ${PROJECT_BINARY_DIR}/headroomConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headroom)
# 0.x: every minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/headroomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/headroomConfig.cmake ${PROJECT_BINARY_DIR}/headroomConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/headroom)

if(TARGET sim)
  install(TARGETS sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
