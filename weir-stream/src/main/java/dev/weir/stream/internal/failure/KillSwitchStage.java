package dev.weir.stream.internal.failure;

import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.TaskSection;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Thrown;
import org.jspecify.annotations.Nullable;

/**
 * Lets all elements pass until its switch is turned, and then ends the stream. Turning the switch interrupts a running
 * pull of the upstream stages. Confined to the stage's thread, except that any thread may turn the switch.
 */
final class KillSwitchStage<T> implements Stage<T> {

    private final Stage<T> upstream;
    private final KillSwitchState core;
    private final StageMeter meter;
    private final TaskSection above = new TaskSection();

    private boolean registered;
    private boolean closed;

    private KillSwitchStage(Stage<T> upstream, KillSwitchState core, StageMeter meter) {
        this.upstream = upstream;
        this.core = core;
        this.meter = meter;
    }

    static <T> BlueprintNode<T> node(BlueprintNode<T> above, KillSwitchState core) {
        return new BlueprintNode<>("killSwitch", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            return new KillSwitchStage<>(
                    upstream, core, assembly.fused(attributes).meter());
        });
    }

    @Override
    public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
        if (!registered) {
            // Register on the first pull: a stage that is never pulled may never be closed, and would stay registered.
            registered = true;
            core.add(above);
        }
        if (!above.enter()) {
            return end();
        }
        Batch<T> batch;
        try {
            batch = upstream.pull(deadlineNanos);
        } catch (Throwable failure) {
            if (above.exit() && !Thrown.isFatal(failure)) {
                // The interrupt of the switch probably caused the failure.
                return end();
            }
            throw FailureTransfer.rethrowFromAbove(failure);
        }
        if (above.exit()) {
            if (batch != null) {
                // The batch may have arrived after the switch was turned.
                batch.abandonAll();
            }
            return end();
        }
        if (batch == null) {
            return null;
        }
        meter.in(batch.size());
        meter.out(batch.size());
        return batch;
    }

    private @Nullable Batch<T> end() {
        close();
        KillSwitchState.Turn turn = core.turned();
        if (turn != null && turn.failure() != null) {
            throw FailureTransfer.rethrow(turn.failure());
        }
        return null;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            core.remove(above);
            upstream.close();
        }
    }
}
