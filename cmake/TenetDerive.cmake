# Checkers from tests, in a CMake project (docs/derive.md). Part of find_package(Tenet).

# tenet_derive(NAME MODEL file SYSTEM library TESTS test…)
#
# SYSTEM is the library of the service, TESTS the GoogleTest programs that test it. Makes
#   NAME_watched   a library from copies of SYSTEM's sources that tell what they do; a service links it instead of SYSTEM
#   NAME_TEST      for each test, the same test linked with NAME_watched and built to be recorded
#   NAME           the target that reads and records the tests and writes NAME.checkers and NAME.report to the build folder
# Neither SYSTEM nor TESTS change. Needs CMAKE_EXPORT_COMPILE_COMMANDS.
function(tenet_derive name)
  cmake_parse_arguments(ARG "" "MODEL;SYSTEM" "TESTS;FILTER" ${ARGN})
  if(NOT ARG_MODEL OR NOT ARG_SYSTEM OR NOT ARG_TESTS)
    message(FATAL_ERROR "tenet_derive(${name} MODEL file SYSTEM library TESTS test…): something is missing")
  endif()
  if(NOT CMAKE_EXPORT_COMPILE_COMMANDS)
    message(FATAL_ERROR "tenet_derive needs set(CMAKE_EXPORT_COMPILE_COMMANDS ON) before the targets")
  endif()
  get_filename_component(model ${ARG_MODEL} ABSOLUTE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})

  # Copies of the sources that tell what they do.
  _tenet_sources(${ARG_SYSTEM} sources)
  set(copies)
  foreach(source IN LISTS sources)
    get_filename_component(file ${source} NAME)
    list(APPEND copies ${folder}/${file})
  endforeach()
  add_custom_command(OUTPUT ${folder}/${name}.stamp BYPRODUCTS ${copies}
    COMMAND Tenet::tenet derive attach --rewrite -m ${model} -p ${CMAKE_BINARY_DIR} -o ${folder} ${sources}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/${name}.stamp
    DEPENDS ${sources} ${model} COMMENT "Attaching ${name}" VERBATIM)
  add_custom_target(${name}_attach DEPENDS ${folder}/${name}.stamp)
  set_source_files_properties(${copies} PROPERTIES GENERATED ON)
  add_library(${name}_watched STATIC ${copies})
  add_dependencies(${name}_watched ${name}_attach)
  _tenet_like(${name}_watched ${ARG_SYSTEM} PUBLIC)
  target_include_directories(${name}_watched PUBLIC ${folder})
  foreach(source IN LISTS sources)  # what they include from beside them
    get_filename_component(beside ${source} DIRECTORY)
    target_include_directories(${name}_watched PUBLIC ${beside})
  endforeach()
  target_link_libraries(${name}_watched PUBLIC Tenet::derived)

  # Tests that are recorded.
  set(recordings)
  set(arguments)
  set(test_sources)
  foreach(test IN LISTS ARG_TESTS)
    _tenet_sources(${test} sources)
    list(APPEND test_sources ${sources})
    set(recorder ${name}_${test})
    add_executable(${recorder} EXCLUDE_FROM_ALL ${sources})
    _tenet_like(${recorder} ${test} PRIVATE)
    get_target_property(libraries ${test} LINK_LIBRARIES)
    list(REMOVE_ITEM libraries ${ARG_SYSTEM})
    # The places of calls are found by debug information; without inlining there is one place for each.
    target_compile_options(${recorder} PRIVATE -g -O0 -include tenet/derived/gtest.h)
    target_link_libraries(${recorder} PRIVATE ${name}_watched ${libraries})
    add_custom_command(OUTPUT ${folder}/${test}.recording
      COMMAND ${CMAKE_COMMAND} -E rm -f ${folder}/${test}.recording
      COMMAND ${CMAKE_COMMAND} -E env TENET_DERIVED_RECORD=${folder}/${test}.recording $<TARGET_FILE:${recorder}> ${ARG_FILTER}
      DEPENDS ${recorder} COMMENT "Recording ${test}" VERBATIM)
    list(APPEND recordings ${folder}/${test}.recording)
    list(APPEND arguments --recording $<TARGET_FILE:${recorder}>=${folder}/${test}.recording)
  endforeach()
  add_custom_command(OUTPUT ${folder}/${name}.suite
    COMMAND Tenet::tenet derive extract -m ${model} -p ${CMAKE_BINARY_DIR} -o ${folder}/${name}.suite ${test_sources}
    DEPENDS ${test_sources} ${model} COMMENT "Reading the tests of ${name}" VERBATIM)
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.checkers ${CMAKE_CURRENT_BINARY_DIR}/${name}.report
    COMMAND Tenet::tenet derive infer -m ${model} ${folder}/${name}.suite ${arguments}
      -o ${CMAKE_CURRENT_BINARY_DIR}/${name}.checkers --report ${CMAKE_CURRENT_BINARY_DIR}/${name}.report
    DEPENDS ${folder}/${name}.suite ${recordings} ${model} COMMENT "Deriving ${name}.checkers" VERBATIM)
  add_custom_target(${name} DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${name}.checkers)
endfunction()

# tenet_derive_checkers(NAME MODEL file CHECKERS file): a library with tenet_SYSTEM::make_rules() from definitions.
function(tenet_derive_checkers name)
  cmake_parse_arguments(ARG "" "MODEL;CHECKERS;SYSTEM" "" ${ARGN})
  get_filename_component(model ${ARG_MODEL} ABSOLUTE)
  get_filename_component(checkers ${ARG_CHECKERS} ABSOLUTE)
  file(STRINGS ${model} system REGEX "^system *=")
  string(REGEX REPLACE "^system *= *\"([^\"]*)\".*" "\\1" system "${system}")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  set(generated ${folder}/tenet_${system}_checkers.cc ${folder}/tenet_${system}_checkers.h)
  add_custom_command(OUTPUT ${generated}
    COMMAND Tenet::tenet derive generate -m ${model} -o ${folder} ${checkers}
    DEPENDS ${model} ${checkers} COMMENT "Generating ${name}" VERBATIM)
  add_library(${name} STATIC ${generated})
  target_compile_features(${name} PUBLIC cxx_std_17)
  target_include_directories(${name} PUBLIC ${folder})
  target_link_libraries(${name} PUBLIC Tenet::derived)
endfunction()

# The C++ sources of a target, with their whole paths.
function(_tenet_sources target out)
  get_target_property(all ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(sources)
  foreach(source IN LISTS all)
    if(source MATCHES "\\.(cc|cpp|cxx|C)$")
      get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
      list(APPEND sources ${source})
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Compiled as another target is.
function(_tenet_like target other visibility)
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS COMPILE_FEATURES)
    get_target_property(value ${other} ${property})
    if(value)
      set_property(TARGET ${target} APPEND PROPERTY ${property} ${value})
    endif()
    get_target_property(value ${other} INTERFACE_${property})
    if(value AND visibility STREQUAL PUBLIC )
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_${property} ${value})
    endif()
  endforeach()
  foreach(property CXX_STANDARD CXX_EXTENSIONS)
    get_target_property(value ${other} ${property})
    if(NOT value MATCHES "NOTFOUND")
      set_target_properties(${target} PROPERTIES ${property} ${value})
    endif()
  endforeach()
  get_target_property(value ${other} LINK_LIBRARIES)
  if(value AND visibility STREQUAL PUBLIC)
    target_link_libraries(${target} PUBLIC ${value})
  endif()
endfunction()
