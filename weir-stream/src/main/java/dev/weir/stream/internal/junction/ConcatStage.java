package dev.weir.stream.internal.junction;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Emits the elements of one input after the other, without changing the batches. Confined to the stage's thread. */
final class ConcatStage<T> implements Stage<T> {

    private final List<Stage<T>> inputs;
    private final boolean onlyIfEmpty;
    private final StageMeter meter;

    private int current;
    private boolean sawElements;

    private ConcatStage(List<Stage<T>> inputs, boolean onlyIfEmpty, StageMeter meter) {
        this.inputs = inputs;
        this.onlyIfEmpty = onlyIfEmpty;
        this.meter = meter;
    }

    /**
     * Creates the stage.
     *
     * @param onlyIfEmpty whether an input is used only if all earlier inputs were empty
     */
    static <T> BlueprintNode<T> node(String name, List<BlueprintNode<T>> inputs, boolean onlyIfEmpty) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            List<Stage<T>> stages = new ArrayList<>();
            stages.add(inputs.getFirst().build(assembly));
            for (BlueprintNode<T> further : inputs.subList(1, inputs.size())) {
                stages.add(assembly.input(() -> further.build(assembly)));
            }
            return new ConcatStage<>(
                    stages, onlyIfEmpty, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        while (current < inputs.size()) {
            Batch<T> batch = inputs.get(current).pull(deadlineNanos);
            if (batch != null) {
                sawElements |= !batch.isEmpty();
                meter.in(batch.size());
                meter.out(batch.size());
                return batch;
            }
            current = onlyIfEmpty && sawElements ? inputs.size() : current + 1;
        }
        return null;
    }

    @Override
    public void close() {
        FailureTransfer.runAll(
                inputs.stream().<Runnable>map(input -> input::close).toList());
    }
}
