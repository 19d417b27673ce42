# Run by ctest; see CMakeLists.txt beside it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(system ${WORK}/${NAME})
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
run(${PREFIX}/bin/tenet new system ${NAME} -o ${system})
run(${CMAKE_COMMAND} -S ${system} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${PREFIX}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DCMAKE_CXX_FLAGS=${FLAGS}
  -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build --output-on-failure --no-tests=error)
run(${PREFIX}/bin/tenet verify ${system}/${NAME}.tenet --variants ${system}/wrong --no-cache)

execute_process(COMMAND ${WORK}/build/${NAME} sweep --fault answers_first --seeds 1
  RESULT_VARIABLE status OUTPUT_VARIABLE output)
if(NOT status EQUAL 1 OR NOT output MATCHES "violated:[^\n]* Stored.sent")
  message(FATAL_ERROR "a fault was not found (${status}): ${output}")
endif()
