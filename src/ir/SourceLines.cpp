// Which lines ops come from, as an attribute of their module.
#include "ir/SourceLines.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace tilewise::tile {

void attachSourceLines(ModuleOp module, llvm::function_ref<StringRef(StringRef, uint32_t)> textOf) {
  std::map<std::string, NamedAttrList> lines;
  Builder builder(module.getContext());
  module.walk([&](Operation *op) {
    op->getLoc()->walk([&](Location loc) {
      auto at = dyn_cast<FileLineColLoc>(loc);
      if (StringRef text = at ? textOf(at.getFilename(), at.getLine()) : StringRef(); !text.empty())
        lines[at.getFilename().str()].set(std::to_string(at.getLine()), builder.getStringAttr(text));
      return WalkResult::advance();
    });
  });
  NamedAttrList files;
  for (const auto &[path, texts] : lines)
    files.set(path, texts.getDictionary(module.getContext()));
  module->setAttr(kSourceLinesAttr, files.getDictionary(module.getContext()));
}

std::string sourceLineAt(FileLineColLoc at, Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  auto files = module ? module->getAttrOfType<DictionaryAttr>(kSourceLinesAttr) : nullptr;
  auto lines = files ? files.getAs<DictionaryAttr>(at.getFilename()) : nullptr;
  auto text = lines ? lines.getAs<StringAttr>(std::to_string(at.getLine())) : nullptr;
  return text ? text.str() : "";
}

} // namespace tilewise::tile
