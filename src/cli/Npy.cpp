// Reads and writes .npy version 1 files: a magic word, a header that is a Python dict, then the
// elements.
#include "cli/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

namespace {

struct ElementType {
  llvm::StringRef name, descr;
  unsigned size;
};

constexpr ElementType kTypes[] = {
    {"i1", "|b1", 1},   {"i8", "|i1", 1},   {"i16", "<i2", 2},  {"i32", "<i4", 4}, {"i64", "<i8", 8},
    {"u8", "|u1", 1},   {"u16", "<u2", 2},  {"u32", "<u4", 4},  {"u64", "<u8", 8}, {"fp16", "<f2", 2},
    {"fp32", "<f4", 4}, {"fp64", "<f8", 8}, {"bf16", "<V2", 2},
};

} // namespace

int64_t NpyArray::elements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

unsigned npyElementSize(llvm::StringRef type) {
  for (const ElementType &entry : kTypes)
    if (entry.name == type)
      return entry.size;
  return 0;
}

std::string npyTypes() {
  std::string names;
  for (const ElementType &entry : kTypes)
    names += (names.empty() ? "" : &entry == std::end(kTypes) - 1 ? " or " : ", ") + entry.name.str();
  return names;
}

/// The text after `'key':` in the header's dict, up to the comma or bracket that ends it.
static llvm::StringRef headerField(llvm::StringRef header, llvm::StringRef key) {
  size_t at = header.find(("'" + key + "':").str());
  return at == llvm::StringRef::npos ? "" : header.drop_front(at + key.size() + 3).ltrim();
}

Result<NpyArray> readNpy(llvm::StringRef path) {
  auto fail = [&](llvm::Twine why) { return launchFailure(("cannot read '" + path + "': " + why).str()); };
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError().message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  if (!bytes.consume_front(kMagic) || bytes.size() < 6)
    return fail("it is no .npy file");
  bool longHeader = bytes[0] >= 2;
  size_t prefix = longHeader ? 6 : 4;
  size_t length = longHeader ? llvm::support::endian::read32le(bytes.data() + 2)
                             : llvm::support::endian::read16le(bytes.data() + 2);
  if (bytes.size() < prefix + length)
    return fail("its header is cut off");
  llvm::StringRef header = bytes.substr(prefix, length), data = bytes.drop_front(prefix + length);

  NpyArray array;
  llvm::StringRef descr = headerField(header, "descr").drop_front().take_until([](char c) { return c == '\''; });
  for (const ElementType &entry : kTypes)
    if (entry.descr == descr || (entry.name == "bf16" && descr == "|V2"))
      array.type = entry.name.str();
  if (array.type.empty())
    return fail("element type '" + descr + "' is not supported");
  if (headerField(header, "fortran_order").starts_with("True"))
    return fail("it is in Fortran order; save a C-ordered copy (numpy.ascontiguousarray)");

  llvm::SmallVector<llvm::StringRef> extents;
  headerField(header, "shape").drop_front().take_until([](char c) { return c == ')'; }).split(extents, ',', -1, false);
  for (llvm::StringRef text : extents) {
    int64_t extent = 0;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, extent) || extent < 0)
      return fail("its shape is malformed");
    array.shape.push_back(extent);
  }
  if (data.size() != size_t(array.elements()) * npyElementSize(array.type))
    return fail("its data does not fill its shape");
  array.bytes.assign(data.begin(), data.end());
  return array;
}

Result<void> writeNpy(llvm::StringRef path, const NpyArray &array) {
  std::string header = "{'descr': '";
  for (const ElementType &entry : kTypes)
    if (entry.name == array.type)
      header += entry.descr;
  header += "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : array.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The elements start at a multiple of 64 bytes: magic 6, version 2, length 2, header, line end.
  header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
  header += '\n';

  std::error_code error;
  llvm::raw_fd_ostream os(path, error, llvm::sys::fs::OF_None);
  if (error)
    return launchFailure("cannot write '" + path.str() + "': " + error.message());
  char length[2];
  llvm::support::endian::write16le(length, uint16_t(header.size()));
  os << kMagic << '\1' << '\0';
  os.write(length, 2);
  os << header;
  os.write(array.bytes.data(), array.bytes.size());
  os.close();
  if (os.has_error())
    return launchFailure("cannot write '" + path.str() + "': " + os.error().message());
  return {};
}

} // namespace tilewise::cli
