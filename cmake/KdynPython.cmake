# Which Python runs tools and tests: that of PATH, unless it lacks what the tests read and write files with and Debian's has it. Tests that need these packages
# would be skipped otherwise. -DPython3_EXECUTABLE=... takes another one.
if(NOT Python3_EXECUTABLE)
  find_program(kdyn_path_python NAMES python3)
  foreach(candidate ${kdyn_path_python} /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "import h5py, jsonschema, numpy, openpyxl, scipy" RESULT_VARIABLE lacks OUTPUT_QUIET ERROR_QUIET)
    if(lacks EQUAL 0)
      set(Python3_EXECUTABLE ${candidate} CACHE FILEPATH "Python of tools and tests")
      break()
    endif()
  endforeach()
endif()
