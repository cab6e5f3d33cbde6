# Writes a C++ file with a function that gives files by their names, from memory:
#   cmake -DOUT=FILE.cc -DNAMESPACE=fovea::look -DFUNCTION=page_file -DHEADER=fovea/look/page.h -DFILES=a.js|b.css -P embed.cmake
# The function's declaration is in HEADER: std::string_view FUNCTION(std::string_view name), empty for a name that is none.
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
foreach(path IN LISTS files)
  get_filename_component(name "${path}" NAME)
  file(READ "${path}" text)
  string(FIND "${text}" ")embedded\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${path} has the mark that ends an embedded file")
  endif()
  string(APPEND rows "  if (name == \"${name}\") return R\"embedded(${text})embedded\";\n")
endforeach()
file(WRITE "${OUT}" "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\nstd::string_view ${FUNCTION}(std::string_view name) {\n${rows}  return {};\n}\n\n}\n")
