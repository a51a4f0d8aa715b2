package dev.weir.stream.internal.junction;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.RunAssembly;
import dev.weir.stream.internal.run.StageAttributes;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Emits the batches of several inputs in order of arrival. Confined to the downstream thread. */
final class MergeStage<T> implements Stage<T> {

    /** Default buffer size of an input, in elements. */
    static final int DEFAULT_BUFFER = 1024;

    private final InputQueues<T> inlets;
    private final StageMeter meter;

    private MergeStage(InputQueues<T> inlets, StageMeter meter) {
        this.inlets = inlets;
        this.meter = meter;
    }

    static <T> BlueprintNode<T> node(String name, List<BlueprintNode<T>> inputs, InputSelection.Factory turns) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            InputQueues<T> inlets = inlets(assembly, attributes, inputs, turns.of(inputs.size()), false);
            return below(inlets, assembly, attributes);
        });
    }

    /** Builds each input with its own thread. The first input's stages are added to the current chain. */
    static <T> InputQueues<T> inlets(
            RunAssembly assembly,
            StageAttributes attributes,
            List<BlueprintNode<T>> inputs,
            InputSelection turns,
            boolean untilFirstEnds) {
        InputQueues<T> inlets = new InputQueues<>(
                inputs.size(), attributes.bufferOr(DEFAULT_BUFFER), turns, untilFirstEnds, assembly.clock());
        Dispatcher dispatcher = attributes.dispatcherOr(Dispatcher.virtual());
        var unusedFirst = inlets.feed(0, assembly, dispatcher, inputs.getFirst().build(assembly), () -> {});
        for (int i = 1; i < inputs.size(); i++) {
            int input = i;
            var ignored = assembly.input(() ->
                    inlets.feed(input, assembly, dispatcher, inputs.get(input).build(assembly), () -> {}));
        }
        return inlets;
    }

    /** Creates a stage that takes batches from {@code inlets}, and adds it to the current chain. */
    static <T> Stage<T> below(InputQueues<T> inlets, RunAssembly assembly, StageAttributes attributes) {
        StageEntry entry = assembly.fused(attributes);
        entry.depth(inlets::depth);
        return new MergeStage<>(inlets, entry.meter());
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        Batch<T> batch = inlets.take(deadlineNanos, meter);
        if (batch != null) {
            meter.in(batch.size());
            meter.out(batch.size());
        }
        return batch;
    }

    @Override
    public void close() {
        inlets.cancel();
    }
}
