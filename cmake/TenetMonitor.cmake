# Monitors of protocols, in a CMake project (docs/monitors.md). Part of find_package(Tenet).

# tenet_monitor(NAME SPEC file [INVARIANTS file | DERIVE])
#
# A library with the monitor that `tenet monitor generate` makes of the protocol, made anew when the protocol changes. Its
# header is the protocol's name with _monitor.h behind. INVARIANTS: watches what is in this file of `tenet invariants
# --properties`, too. DERIVE: makes that file in the build, which takes as long as the proof.
function(tenet_monitor name)
  cmake_parse_arguments(ARG "DERIVE" "SPEC;INVARIANTS" "" ${ARGN})
  if(NOT ARG_SPEC OR (ARG_DERIVE AND ARG_INVARIANTS) OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenet_monitor(${name} SPEC file [INVARIANTS file | DERIVE]) was called with: ${ARGN}")
  endif()
  get_filename_component(spec ${ARG_SPEC} ABSOLUTE)
  get_filename_component(protocol ${spec} NAME_WE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${folder})
  set(tool Tenet::tenet)
  set(invariants)
  if(ARG_DERIVE)
    set(invariants ${folder}/${protocol}.derived)
    add_custom_command(OUTPUT ${invariants}
      COMMAND ${tool} invariants ${spec} --properties ${invariants} > ${folder}/${name}.log
      DEPENDS ${spec} ${tool} COMMENT "Deriving invariants of ${protocol}" VERBATIM)
  elseif(ARG_INVARIANTS)
    get_filename_component(invariants ${ARG_INVARIANTS} ABSOLUTE)
  endif()
  set(generated ${folder}/${protocol}_monitor.h ${folder}/${protocol}_monitor.cpp)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${tool} monitor generate ${spec} "$<$<BOOL:${invariants}>:--invariants;${invariants}>" -o ${folder} > ${folder}/${name}.log
    DEPENDS ${spec} ${invariants} ${tool} COMMENT "Generating the monitor of ${protocol}" COMMAND_EXPAND_LISTS VERBATIM)
  add_library(${name} STATIC ${generated})
  target_include_directories(${name} PUBLIC ${folder})
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_link_libraries(${name} PUBLIC Tenet::monitor)
endfunction()
