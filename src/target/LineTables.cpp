// llvm-line-tables: MLIR's locations -> LLVM's debug scopes and locations.
#include "target/LineTables.h"

#include "ir/TextRange.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;

namespace tilewise {

#define GEN_PASS_DECL
#define GEN_PASS_DEF_LINETABLES
#define GEN_PASS_REGISTRATION
#include "target/Passes.h.inc"

namespace {

/// Scopes and locations of one function, each made once.
class FunctionLines {
public:
  FunctionLines(LLVM::LLVMFuncOp function, LineInfo info, const FunctionAt &functionAt)
      : context_(function.getContext()), functionAt_(functionAt), place_(placeOf(function)) {
    unit_ = LLVM::DICompileUnitAttr::get(
        newId(), llvm::dwarf::DW_LANG_C99, fileOf(place_), StringAttr::get(context_, "tilewise"), /*isOptimized=*/true,
        info == LineInfo::Directives ? LLVM::DIEmissionKind::DebugDirectivesOnly : LLVM::DIEmissionKind::LineTablesOnly,
        LLVM::DINameTableKind::None);
    scope_ = makeScope(fileOf(place_), function.getName(), place_.getLine());
  }

  Location ofFunction() { return FusedLoc::get(context_, Location(place_), scope_); }

  Location convert(Location loc) {
    auto [entry, isNew] = known_.try_emplace(loc, Location(place_));
    if (!isNew)
      return entry->second;
    SmallVector<tile::TextRange> places;
    tile::collectPlaces(loc, places);
    Location result = place_;
    // From the kernel's own line inwards, as far as the texts are the user's.
    for (const tile::TextRange &place : llvm::reverse(places)) {
      const bool isOutermost = &place == &places.back();
      Attribute scope = isOutermost ? Attribute() : calledScope(place.start);
      if (!isOutermost && !scope)
        break;
      result = isOutermost ? Location(place.start)
                           : CallSiteLoc::get(FusedLoc::get(context_, Location(place.start), scope), result);
    }
    return entry->second = result;
  }

private:
  static FileLineColLoc placeOf(LLVM::LLVMFuncOp function) {
    SmallVector<tile::TextRange> places;
    tile::collectPlaces(function.getLoc(), places);
    return places.empty() ? FileLineColLoc::get(function.getContext(), "unknown", 1, 1) : places.back().start;
  }

  DistinctAttr newId() { return DistinctAttr::create(UnitAttr::get(context_)); }
  // As the user spelled it: a debugger looks for it from where it runs, and equal kernels give
  // equal objects in every folder.
  LLVM::DIFileAttr fileOf(FileLineColLoc place) { return LLVM::DIFileAttr::get(context_, place.getFilename(), ""); }

  LLVM::DISubprogramAttr makeScope(LLVM::DIFileAttr file, StringRef name, unsigned line) {
    auto type = LLVM::DISubroutineTypeAttr::get(context_, {});
    return LLVM::DISubprogramAttr::get(newId(), unit_, file, name, /*linkageName=*/"", file, line, line,
                                       LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type);
  }

  /// Of the function around a line that was inlined; null when it is not the user's.
  Attribute calledScope(FileLineColLoc place) {
    const FunctionInText function =
        functionAt_ ? functionAt_(place.getFilename(), place.getLine()) : FunctionInText{"inlined", place.getLine()};
    if (function.name.empty())
      return {};
    auto [entry, isNew] = called_.try_emplace({place.getFilename(), StringAttr::get(context_, function.name)});
    if (isNew)
      entry->second = makeScope(fileOf(place), function.name, function.line);
    return entry->second;
  }

  MLIRContext *context_;
  const FunctionAt &functionAt_;
  FileLineColLoc place_;
  LLVM::DICompileUnitAttr unit_;
  LLVM::DISubprogramAttr scope_;
  DenseMap<std::pair<StringAttr, StringAttr>, LLVM::DISubprogramAttr> called_;
  DenseMap<Location, Location> known_;
};

struct LineTables : impl::LineTablesBase<LineTables> {
  void runOnOperation() override { attachLineTables(getOperation(), LineInfo::Tables, {}); }
};

} // namespace

void attachLineTables(ModuleOp module, LineInfo info, const FunctionAt &functionAt) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    FunctionLines lines(function, info, functionAt);
    function.getBody().walk([&](Operation *op) { op->setLoc(lines.convert(op->getLoc())); });
    function->setLoc(lines.ofFunction());
  }
}

void addLlvmPasses() { registerLlvmPasses(); }

} // namespace tilewise
