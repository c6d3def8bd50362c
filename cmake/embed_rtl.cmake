# Writes OUT, a C++ file with FUNCTION of tb/build/embedded_rtl.h: the text of each of FILES (paths below FOLDER).
# Run as: cmake -DOUT=... -DFUNCTION=embedded_rtl -DFOLDER=... -DFILES=a.sv|b.sv -P embed_rtl.cmake
string(REPLACE "|" ";" files "${FILES}")
set(text "// Written by cmake/embed_rtl.cmake.\n#include \"tb/build/embedded_rtl.h\"\n\nnamespace weft::tb {\n\n")
string(APPEND text "const std::map<std::string, std::string>& ${FUNCTION}() {\n")
string(APPEND text "  static const std::map<std::string, std::string> files = {\n")
foreach(name IN LISTS files)
  file(READ "${FOLDER}/${name}" content)
  string(APPEND text "      {\"${name}\", R\"weft_rtl(${content})weft_rtl\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace weft::tb\n")
file(WRITE "${OUT}" "${text}")
