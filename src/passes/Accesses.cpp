// A kernel -> the list of its accesses by argument, a line each, in the order of the text.
#include "passes/Accesses.h"

#include "passes/Origins.h"

namespace tilewise::tile {

std::string listAccesses(mlir::func::FuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  kernel.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (auto assembly = mlir::dyn_cast<InlineAsmOp>(op); assembly && assembly.getImpure())
      os << "assembly\n";
    auto access = mlir::dyn_cast<MemoryAccess>(op);
    if (!access)
      return;
    const Origins origins = originsOf(access.getPointer());
    os << access.getVerb();
    for (unsigned argument : origins.arguments) {
      auto name = kernel.getArgAttrOfType<mlir::StringAttr>(argument, TileDialect::kNameAttr);
      os << ' ' << (name ? name.getValue() : "?");
    }
    os << (origins.foreign ? " ?\n" : "\n");
  });
  return text;
}

} // namespace tilewise::tile
