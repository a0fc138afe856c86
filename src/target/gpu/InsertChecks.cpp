// gpu-insert-checks: a gpu.check before every access whose pointer is known to come from arguments.
#include "passes/Origins.h"
#include "target/gpu/Passes.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewise::gpu {

#define GEN_PASS_DEF_INSERTCHECKS
#include "target/gpu/Passes.h.inc"

namespace {

struct InsertChecks : impl::InsertChecksBase<InsertChecks> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    // Found before any argument is added: origins are numbers of arguments.
    SmallVector<std::pair<tile::MemoryAccess, tile::Origins>> accesses;
    llvm::SmallSetVector<unsigned, 8> arguments;
    kernel.walk([&](tile::MemoryAccess access) {
      tile::Origins origins = tile::originsOf(access.getPointer());
      if (origins.foreign || origins.arguments.empty())
        return;
      arguments.insert(origins.arguments.begin(), origins.arguments.end());
      accesses.push_back({access, std::move(origins)});
    });
    if (arguments.empty())
      return;
    llvm::DenseMap<unsigned, std::pair<Value, Value>> spans;
    for (unsigned argument : arguments) {
      Value begin = addArgument(kernel), end = addArgument(kernel);
      spans[argument] = {begin, end};
    }
    for (auto &[access, origins] : accesses)
      insertCheck(kernel, access, origins, spans);
    SmallVector<int32_t> numbers(arguments.begin(), arguments.end());
    getOperation()->setAttr(GpuDialect::kCheckedAttr, Builder(&getContext()).getDenseI32ArrayAttr(numbers));
  }

  static Value addArgument(func::FuncOp kernel) {
    unsigned index = kernel.getNumArguments();
    kernel.insertArgument(index, IntegerType::get(kernel.getContext(), 64), {}, kernel.getLoc());
    return kernel.getArgument(index);
  }

  static void insertCheck(func::FuncOp kernel, tile::MemoryAccess access, const tile::Origins &origins,
                          const llvm::DenseMap<unsigned, std::pair<Value, Value>> &spans) {
    OpBuilder builder(access);
    SmallVector<Value> begins, ends;
    SmallVector<StringRef> names;
    for (unsigned argument : origins.arguments) {
      auto [begin, end] = spans.lookup(argument);
      begins.push_back(begin);
      ends.push_back(end);
      auto name = kernel.getArgAttrOfType<StringAttr>(argument, tile::TileDialect::kNameAttr);
      names.push_back(name ? name.getValue() : "?");
    }
    builder.create<CheckOp>(access.getLoc(), builder.getStringAttr(access.getVerb()), access.getPointer(),
                            access.getMask(), begins, ends, builder.getStrArrayAttr(names));
  }
};

} // namespace

} // namespace tilewise::gpu
