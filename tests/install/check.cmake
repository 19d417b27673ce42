# Run by ctest; see CMakeLists.txt beside it.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=${BUILD_TYPE})
run(${CMAKE_COMMAND} --build ${WORK}/build)

set(protocol ${WORK}/prefix/share/tenet/protocols/two_phase_commit/two_phase_commit.tenet)
run(${WORK}/build/count_states ${protocol})
if(NOT output MATCHES "two_phase_commit: [1-9][0-9]* states, nothing violated")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${WORK}/prefix/bin/tenet check ${protocol})
