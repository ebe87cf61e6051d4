# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` does where pip does not install the package: it puts the package into the environment
# of the Python that CMake found, unless CMAKE_INSTALL_PREFIX or --prefix names another folder, with the
# records by which pip and importlib.metadata know it (PyPA, "Recording installed projects").

# Not Python_SITEARCH: of Debian's own Python that is the folder of Debian's packages.
execute_process(
  COMMAND ${Python_EXECUTABLE} -c "import os, sysconfig
prefix = sysconfig.get_path('data')
print(prefix, os.path.relpath(sysconfig.get_path('platlib'), prefix), sep=';', end='')"
  OUTPUT_VARIABLE place COMMAND_ERROR_IS_FATAL ANY)
list(GET place 0 prefix)
list(GET place 1 site)
if(CMAKE_INSTALL_PREFIX_INITIALIZED_TO_DEFAULT)
  set_property(CACHE CMAKE_INSTALL_PREFIX PROPERTY VALUE ${prefix})
endif()
message(STATUS "acc: cmake --install puts the Python package into ${CMAKE_INSTALL_PREFIX}/${site}")

# The metadata of pip's wheel, from the same place.
file(READ pyproject.toml pyproject)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS pyproject.toml)
function(acc_python_project key pattern variable)
  if(NOT pyproject MATCHES "\n${key} = ${pattern}")
    message(FATAL_ERROR "acc: ${CMAKE_CURRENT_SOURCE_DIR}/pyproject.toml has no ${key}")
  endif()
  set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()
acc_python_project(name "\"([^\"]+)\"" name)
acc_python_project(description "\"([^\"]+)\"" description)
acc_python_project(license "\"([^\"]+)\"" license)
acc_python_project(requires-python "\"([^\"]+)\"" requires_python)
acc_python_project(dependencies "\\[\"([^]]+)\"\\]" dependencies)
string(REPLACE "\", \"" "\nRequires-Dist: " dependencies "${dependencies}")
string(REPLACE - _ distribution ${name})
set(info ${distribution}-${acc_VERSION}.dist-info)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/INSTALLER "cmake\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/METADATA "Metadata-Version: 2.4
Name: ${name}
Version: ${acc_VERSION}
Summary: ${description}
License-Expression: ${license}
Requires-Python: ${requires_python}
Requires-Dist: ${dependencies}
")

# The records of an earlier installation are no longer true. The new ones list what is installed here.
install(CODE "
  set(site \"\${CMAKE_INSTALL_PREFIX}/${site}\")
  set(info ${info})
  file(GLOB earlier \"\$ENV{DESTDIR}\${site}/${distribution}-*.dist-info\")")
install(CODE [[
  if(earlier)
    file(REMOVE_RECURSE ${earlier})
  endif()]])
install(TARGETS _acc DESTINATION ${site}/acc)
install(DIRECTORY acc DESTINATION ${site} FILES_MATCHING PATTERN *.py PATTERN __pycache__ EXCLUDE)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/INSTALLER ${CMAKE_CURRENT_BINARY_DIR}/METADATA DESTINATION ${site}/${info})
install(CODE [[
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES ${site}/${info}/RECORD)
  set(record)
  foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
    file(RELATIVE_PATH file ${site} ${file})
    string(APPEND record "${file},,\n")
  endforeach()
  message(STATUS "Installing: $ENV{DESTDIR}${site}/${info}/RECORD")
  file(WRITE $ENV{DESTDIR}${site}/${info}/RECORD "${record}")]])
