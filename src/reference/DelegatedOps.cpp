// Ops for another engine: each function is decoded once and run in a frame of its own.
#include "reference/DelegatedOps.h"

#include "ir/DelegatedOps.h"

#include "ir/Tile.h"
#include "reference/Checked.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <cstring>
#include <new>

using namespace mlir;

namespace tilewise::reference {
namespace {

struct FrameDeleter {
  void operator()(std::byte *memory) const { ::operator delete[](memory, std::align_val_t(64)); }
};

struct DecodedOp {
  Code prologue, code;
  std::vector<Buffer> arguments;
  std::vector<std::shared_ptr<OverflowSite>> overflowSites;
  size_t frameBytes = 0;
};

class DecodedOps : public DelegatedOps {
public:
  explicit DecodedOps(std::vector<std::string> names) : names_(std::move(names)) {}

  Result<void> add(func::FuncOp function) {
    DecodedOp op;
    Decoder decoder;
    decoder.follow(findOffsets(function));
    for (BlockArgument argument : function.getArguments())
      op.arguments.push_back(decoder.bufferOf(argument));
    Result<Code> code = decoder.decode(function.getBody().front());
    if (!code)
      return code.takeFailure();
    op.code = std::move(*code);
    if (auto verb = function->getAttrOfType<StringAttr>(tile::kVerbAttr))
      op.code.instructions.push_back(checkOf(function, verb, decoder));
    op.prologue = std::move(decoder.prologue);
    op.overflowSites = std::move(decoder.overflowSites);
    op.frameBytes = decoder.frameBytes();
    hasMessages_ |= decoder.hasMessages;
    ops_.push_back(std::move(op));
    return {};
  }

  bool hasMessages() const override { return hasMessages_; }

  struct FrameSpace : Workspace {
    std::unique_ptr<std::byte[], FrameDeleter> memory;
    Frame frame;
  };

  std::unique_ptr<Workspace> newWorkspace() const override {
    size_t bytes = 64;
    for (const DecodedOp &op : ops_)
      bytes = std::max(bytes, op.frameBytes);
    auto space = std::make_unique<FrameSpace>();
    space->memory.reset(static_cast<std::byte *>(::operator new[](bytes, std::align_val_t(64))));
    space->frame.memory = space->memory.get();
    return space;
  }

  std::optional<Failure> run(size_t number, const void *const *arguments, std::array<uint32_t, 3> program,
                             std::array<uint32_t, 3> grid, const LaunchServices &services,
                             Workspace &workspace) const override {
    const DecodedOp &op = ops_[number];
    Frame &frame = static_cast<FrameSpace &>(workspace).frame;
    // Flags of overflows start at zero.
    std::memset(frame.memory, 0, op.frameBytes);
    LaunchContext launch{services.spans, names_, op.overflowSites, services.print, services.interrupted};
    frame.program = program;
    frame.grid = grid;
    frame.launch = &launch;
    frame.failure.reset();
    for (size_t i = 0; i < op.arguments.size(); ++i)
      std::memcpy(frame.at<std::byte>(op.arguments[i].slot), arguments[i], op.arguments[i].bytes);
    op.prologue.run(frame);
    op.code.run(frame);
    return std::move(frame.failure);
  }

private:
  struct CheckDetails : Details {
    AccessSite site;
  };

  static void check(const Instruction &i, Frame &frame) { mayAccess(i.as<CheckDetails>().site, i.count, frame); }

  static Instruction checkOf(func::FuncOp function, llvm::StringRef verb, Decoder &decoder) {
    Operation *end = function.getBody().front().getTerminator();
    Value pointer = end->getOperand(0), mask = end->getNumOperands() > 1 ? end->getOperand(1) : Value();
    auto details = std::make_unique<CheckDetails>();
    // The text of an attribute does not outlive decoding.
    llvm::StringRef kept = verb == "load" ? "load" : verb == "store" ? "store" : "atomic";
    details->site = siteOf(function, kept, pointer, mask, decoder);
    ArrayRef<int32_t> origins = function->getAttrOfType<DenseI32ArrayAttr>(tile::kOriginsAttr).asArrayRef();
    details->site.origins = {{origins.begin(), origins.end()}, function->hasAttr(tile::kForeignAttr)};
    Instruction instruction;
    instruction.execute = check;
    instruction.count = decoder.countOf(pointer);
    instruction.details = std::move(details);
    return instruction;
  }

  std::vector<std::string> names_;
  std::vector<DecodedOp> ops_;
  bool hasMessages_ = false;
};

} // namespace

Result<std::unique_ptr<DelegatedOps>> DelegatedOps::load(llvm::StringRef tileIr, std::vector<std::string> names) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect>();
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(messages);
    os << diagnostic.getLocation() << ": " << diagnostic << '\n';
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(tileIr, &context);
  if (!module)
    return internalFailure("the ops that a kernel leaves to the reference engine cannot be read:\n" + messages);
  auto ops = std::make_unique<DecodedOps>(std::move(names));
  for (func::FuncOp function : module->getOps<func::FuncOp>())
    if (Result<void> added = ops->add(function); !added)
      return added.takeFailure();
  return std::unique_ptr<DelegatedOps>(std::move(ops));
}

} // namespace tilewise::reference
