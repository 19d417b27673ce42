# One target per room. The link dependencies are the arrows between rooms: a
# room sees only the public headers of what it depends on, so a wrong include
# does not compile.
include(GNUInstallDirs)

add_library(tenet_options INTERFACE)
target_compile_options(tenet_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  $<$<CXX_COMPILER_ID:GNU>:-Wno-missing-field-initializers>
  # libstdc++ 12 makes std::stable_sort call what C++17 deprecates; only clang warns.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-missing-field-initializers>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(TENET_SANITIZE)
  target_compile_options(tenet_options INTERFACE -fsanitize=${TENET_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tenet_options INTERFACE -fsanitize=${TENET_SANITIZE})
  if(TENET_SANITIZE MATCHES "undefined")
    target_compile_options(tenet_options INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
if(TENET_FUZZ)
  # Coverage for every room; only the fuzz targets link libFuzzer itself.
  target_compile_options(tenet_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(TENET_LLD ld.lld)
if(TENET_LLD)
  target_link_options(tenet_options INTERFACE -fuse-ld=lld)
endif()

# tenet_room(NAME [DEPENDS room…] [PRIVATE library…] [PUBLIC library…])
# Library tenet_NAME from src/*.cpp and src/*/*.cpp with public headers in include/.
function(tenet_room name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;PUBLIC" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/src/*/*.cpp)
  add_library(tenet_${name} STATIC ${sources})
  add_library(Tenet::${name} ALIAS tenet_${name})
  set_target_properties(tenet_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(tenet_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  target_compile_features(tenet_${name} PUBLIC cxx_std_20)
  foreach(room IN LISTS ARG_DEPENDS)
    target_link_libraries(tenet_${name} PUBLIC tenet_${room})
  endforeach()
  target_link_libraries(tenet_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:tenet_options>)
  install(TARGETS tenet_${name} EXPORT TenetTargets)
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endfunction()

# tenet_tests(ROOM [LIBRARIES library…])
# One test program from *_test.cpp in the current folder; every test is a ctest.
function(tenet_tests room)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(tenet_${room}_tests ${sources})
  target_link_libraries(tenet_${room}_tests PRIVATE tenet_${room} ${ARG_LIBRARIES} tenet_options GTest::gtest_main GTest::gmock)
  target_compile_definitions(tenet_${room}_tests PRIVATE TENET_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_include_directories(tenet_${room}_tests PRIVATE ${PROJECT_SOURCE_DIR}/tests/support)
  gtest_discover_tests(tenet_${room}_tests TEST_PREFIX ${room}. DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# tenet_fuzzer(NAME SOURCE library…): a libFuzzer target, built with TENET_FUZZ.
function(tenet_fuzzer name source)
  if(TENET_FUZZ)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${ARGN} tenet_options)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    # `fuzzers` builds every target, and nothing that no target needs.
    if(NOT TARGET fuzzers)
      add_custom_target(fuzzers)
    endif()
    add_dependencies(fuzzers ${name})
  endif()
endfunction()
