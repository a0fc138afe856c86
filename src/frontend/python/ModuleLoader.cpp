// Finding and reading the files behind import statements.
#include "frontend/python/ModuleLoader.h"

#include "frontend/syntax/Parser.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace tilewise::frontend {

namespace path = llvm::sys::path;

std::optional<std::string> ModuleLoader::readFile(const std::string &file) {
  if (!llvm::sys::fs::is_regular_file(file))
    return std::nullopt;
  auto text = llvm::MemoryBuffer::getFile(file, /*IsText=*/true, /*RequiresNullTerminator=*/false);
  return text ? std::optional<std::string>((*text)->getBuffer().str()) : std::nullopt;
}

FileEnvironment *ModuleLoader::load(const std::string &file) {
  auto [known, isNew] = loaded_.try_emplace(file);
  Loaded &loaded = known->second;
  if (!isNew)
    return loaded.environment.get();
  std::optional<std::string> text = read_(file);
  if (!text || text->size() > bytesLeft_)
    return nullptr;
  bytesLeft_ -= text->size();
  loaded.file = std::make_unique<SourceFile>(file, std::move(*text));
  Diagnostics ignored; // What cannot be parsed is told to those who need it.
  loaded.module = parseModule(*loaded.file, ignored);
  loaded.environment = std::make_unique<FileEnvironment>(*loaded.module, llvm::StringMap<std::string>(), this);
  loaded.environment->facts = facts;
  return loaded.environment.get();
}

FileEnvironment *ModuleLoader::find(const SourceFile &from, llvm::StringRef dotted, unsigned level) {
  llvm::SmallString<256> folder(path::parent_path(from.path()));
  for (unsigned i = 1; i < level; ++i)
    folder = llvm::SmallString<256>(folder.empty() ? llvm::StringRef("..") : path::parent_path(folder));
  // An absolute import is searched upwards: a dozen folders are deeper than any package is nested.
  unsigned tries = level ? 1 : 12;
  for (unsigned i = 0; i < tries; ++i) {
    llvm::SmallString<256> target(folder);
    llvm::SmallVector<llvm::StringRef> names;
    if (!dotted.empty())
      dotted.split(names, '.');
    for (llvm::StringRef name : names)
      path::append(target, name);
    if (!names.empty())
      if (FileEnvironment *found = load((target + ".py").str()))
        return found;
    llvm::SmallString<256> package(target);
    path::append(package, "__init__.py");
    if (FileEnvironment *found = load(std::string(package)))
      return found;
    llvm::StringRef parent = path::parent_path(folder);
    if (parent.empty() || parent == folder)
      break;
    folder = llvm::SmallString<256>(parent);
  }
  return nullptr;
}

} // namespace tilewise::frontend
