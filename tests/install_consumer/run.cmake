# Installs kdyn into a fresh prefix, then builds and runs the project beside this file against it.
file(REMOVE_RECURSE ${WORK_DIR})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nfailed with ${status}:\n${output}")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
# The installed program finds its libraries and looks for none in the current folder.
step(${WORK_DIR}/prefix/bin/kdyn --version)
file(READ_ELF ${WORK_DIR}/prefix/bin/kdyn RUNPATH runpath CAPTURE_ERROR status)
if(runpath MATCHES "^:|::|:$")
  message(FATAL_ERROR "the installed program looks for libraries in the current folder: ${runpath}")
endif()
step(${WORK_DIR}/prefix/bin/kdyn example hydro_mount --out ${WORK_DIR}/example)
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_CXX_FLAGS=${CXX_FLAGS}
  -D CMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
step(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
step(${WORK_DIR}/build/consumer ${WORK_DIR}/prefix/share/kdyn/data/cab_mount/x_map.csv)
file(REMOVE_RECURSE ${WORK_DIR})
